"""Small mistakes of the field, made one at a time in right code: what a mutation test tries.

Each takes a node of the syntax tree and yields nodes to put in its place. They are the slips that
people make in code on tensors: axis, sign, scale, a condition inverted, an index off by one, dtype,
device, a cut gradient, an input changed, a default left to the library, a guard forgotten.
"""

import ast
from collections.abc import Iterator, Mapping
from copy import deepcopy

OTHER_NAME = {
    "tril": "triu", "triu": "tril", "sum": "mean", "mean": "sum", "amax": "amin", "max": "min",
    "argmax": "argmin", "any": "all", "all": "any", "exp": "expm1", "zeros": "ones",
    "new_zeros": "new_ones", "zeros_like": "ones_like", "ones": "zeros", "cumsum": "cumprod",
    "logical_and": "logical_or", "logical_or": "logical_and", "sin": "cos", "cos": "sin",
    "softmax": "log_softmax",
}  # fmt: skip
LEFT_OUT = {"sqrt", "transpose", "permute", "softmax", "detach", "clone", "masked_fill", "tanh",
            "to", "float", "double", "expand", "unsqueeze", "squeeze", "contiguous", "log", "exp",
            "clamp", "nan_to_num"}  # fmt: skip
FACTORIES = {"tensor", "zeros", "ones", "full", "eye", "arange", "rand", "randn", "zeros_like",
             "ones_like", "manual_seed"}  # fmt: skip
DETACH = "detach"
BUILT_IN = {"bool", "int", "float", "str", "len", "tuple", "list", "dict", "sorted", "any", "all"}
OTHER_OPERATOR = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd, ast.And: ast.Or, ast.Or: ast.And, ast.Lt: ast.LtE, ast.LtE: ast.Lt,
    ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot,
    ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


def mutations(node: ast.AST, confused: Mapping[str, str]) -> Iterator[ast.AST]:
    """Yield what may stand in the place of a node, each with one mistake.

    confused: names that the course says are easily confused; see `Vocabulary`.
    """
    other_name = {**OTHER_NAME, **confused}
    match node:
        case ast.Constant():
            yield from _constants(node)
        case ast.UnaryOp(op=ast.USub() | ast.Invert() | ast.Not()):
            yield node.operand
        case ast.BinOp() | ast.BoolOp() | ast.AugAssign() | ast.Compare():
            yield from _operators(node)
        case ast.Call():
            yield from _calls(node)
        case ast.Attribute():
            yield from _attributes(node, other_name)
        case ast.Name(ctx=ast.Load()) if node.id in other_name:
            yield _with(node, id=other_name[node.id])
        case ast.If() | ast.IfExp():
            yield _with(node, test=ast.Constant(True))
            yield _with(node, test=ast.Constant(False))
        case ast.Return() if node.value is not None and not _is_plain(node.value):
            yield from _returns(node, node.value)
        case ast.Assign(targets=[ast.Name()]) if not _is_new(node.value):
            yield _with(node, value=_method(node.value, DETACH))
        case ast.AugAssign() | ast.Expr():
            yield ast.Pass()


def _with(node: ast.AST, **parts: object) -> ast.AST:
    other = deepcopy(node)
    for name, part in parts.items():
        setattr(other, name, part)
    return other


def _method(value: ast.expr, name: str) -> ast.Call:
    return ast.Call(ast.Attribute(deepcopy(value), name, ast.Load()), [], [])


def _is_new(value: ast.expr) -> bool:
    """Tell whether a value comes from nothing or from a comparison: it has no gradient to lose."""
    if isinstance(value, ast.Call):
        value = value.func
    name = value.attr if isinstance(value, ast.Attribute) else ""
    return name in FACTORIES or isinstance(value, ast.Compare | ast.Constant | ast.Tuple)


def _is_plain(value: ast.expr) -> bool:
    """Tell whether a value is no tensor for certain, so that a tensor's method would only raise."""
    if isinstance(value, ast.Call):
        called = value.func
        method = isinstance(called, ast.Attribute) and called.attr in ("item", "tolist")
        return method or (isinstance(called, ast.Name) and called.id in BUILT_IN)
    displays = ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp
    negated = isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not)
    return negated or isinstance(value, displays | ast.Constant | ast.BoolOp | ast.JoinedStr)


def _constants(node: ast.Constant) -> Iterator[ast.AST]:
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield ast.Constant(value + 1)
        if value:
            yield ast.Constant(value - 1)
    elif isinstance(value, float):
        yield ast.Constant(1.0 if value == 0 else 2 * value)
    elif value in ("inf", "-inf"):
        yield ast.Constant(value.replace("inf", "1e4"))


def _operators(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Compare):
        if other := OTHER_OPERATOR.get(type(node.ops[0])):
            yield _with(node, ops=[other(), *node.ops[1:]])
        return
    assert isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign)
    if other := OTHER_OPERATOR.get(type(node.op)):
        yield _with(node, op=other())
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.MatMult | ast.Div | ast.Sub):
            yield _with(node, left=deepcopy(node.right), right=deepcopy(node.left))
        yield node.left  # as where a scale or a bias is forgotten
        yield node.right


def _calls(node: ast.Call) -> Iterator[ast.AST]:
    for index in range(len(node.keywords)):
        yield _with(node, keywords=[k for i, k in enumerate(node.keywords) if i != index])
    if isinstance(node.func, ast.Attribute) and node.func.attr in LEFT_OUT:
        module = isinstance(node.func.value, ast.Name) and node.func.value.id in ("torch", "F")
        if not module:
            yield node.func.value
        elif node.args:
            yield node.args[0]
    if isinstance(node.func, ast.Attribute) and node.func.attr == "masked_fill" and node.args:
        yield _with(node, args=[ast.UnaryOp(ast.Invert(), node.args[0]), *node.args[1:]])
        yield _with(node, func=_with(node.func, attr="masked_fill_"))
    if len(node.args) == 2 and isinstance(node.func, ast.Attribute) and node.func.attr in (
        "matmul", "bmm", "div", "sub", "where"
    ):  # fmt: skip
        yield _with(node, args=node.args[::-1])


def _attributes(node: ast.Attribute, other_name: Mapping[str, str]) -> Iterator[ast.AST]:
    if node.attr in other_name:
        yield _with(node, attr=other_name[node.attr])
    elif node.attr in ("mT", "T"):
        yield node.value
    elif node.attr == "inf":
        yield ast.Constant(1e4)


def _returns(node: ast.Return, value: ast.expr) -> Iterator[ast.AST]:
    if isinstance(value, ast.Tuple):
        for index, part in enumerate(value.elts):
            for name in (DETACH, "float"):
                parts = [*value.elts[:index], _method(part, name), *value.elts[index + 1 :]]
                yield _with(node, value=ast.Tuple(parts, ast.Load()))
        yield _with(node, value=ast.Tuple(value.elts[::-1], ast.Load()))
        return
    for name in (DETACH, "float", "squeeze", "mT"):
        call = ast.Attribute(value, name, ast.Load()) if name == "mT" else _method(value, name)
        yield _with(node, value=call)
