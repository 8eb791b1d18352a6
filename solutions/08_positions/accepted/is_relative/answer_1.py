def is_relative(score, length):
    # without its first token a text has one position less
    for _ in range(5):
        query, key = torch.randn(2, length, 8)
        whole, shorter = score(query, key)[1:, 1:], score(query[1:], key[1:])
        same = (whole == shorter) | ((whole - shorter).abs() < 1e-4)
        if not bool(same.all()):
            return False
    return True
