"""What six students have answered to the one question of the small course."""

CHAPTER, QUESTION = "01_toy", "why"
TEXTS = {
    "ada": "Because one high salary moves the mean.",
    "bob": "because  one high\nsalary moves the mean.",
    "cleo": "Because one high salary moves the mean.",
    "dora": "",
    "emil": "Since $w_i < 1$, one salary moves it.",
    "fay": "# No idea\n\n<img src=x onerror=alert(1)><script>alert(2)</script>",
}
