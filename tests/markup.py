"""What of a text is markup to a browser."""

from html.parser import HTMLParser


class Tags(HTMLParser):
    """Every tag of a page with the names of its attributes; nothing else may be markup."""

    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, *(name for name, _ in attrs)))

    def handle_comment(self, data):
        self.found.append(("comment", data))

    handle_decl = handle_pi = unknown_decl = handle_comment
