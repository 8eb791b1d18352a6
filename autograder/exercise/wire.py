"""Values as bytes: a JSON tree whose tensors travel beside it as safetensors.

The same bytes cross the pipe to the confined process and lie in `checks.safetensors`. Reading
them runs no code: there is no pickle, and a length that does not fit is refused.
"""

import hashlib
import json
import re
import struct
from typing import Any, BinaryIO

import safetensors.torch
from torch import Tensor

from autograder.common.errors import WireError
from autograder.exercise.observation import NAME, Unsent, clean
from autograder.exercise.specimen import Specimen
from autograder.exercise.stateful import KINDS, Stateful, parts

HEADER = struct.Struct("<Q")
FRAME_LIMIT = 64 * 2**20  # bytes that one step of a submission may report
HEADER_LIMIT = 2 * 2**20  # bytes of it that are JSON: they take far more memory than they are
TREE, SEAL = "tree", "sha256"
SEALED = re.compile(rb'"sha256":"[0-9a-f]{64}"')  # in a tree the quotes would be escaped
BLANK = b'"sha256":"%s"' % (b"0" * 64)
Tensors = dict[int, tuple[str, Tensor]]  # the name and a copy of each tensor, by its id


def pack(value: Any) -> bytes:
    """Bytes of a tree of what JSON knows, tuple, Tensor, Specimen, Stateful and Unsent.

    A tensor that stands in several places is written once. Raises TypeError for anything else.
    """
    tensors: Tensors = {}
    tree = json.dumps(_encode(value, tensors), separators=(",", ":"))
    if tensors:  # `safetensors.torch.save` takes twice as long: it checks what we have just made
        return bytes(safetensors.serialize(dict(map(_spec, tensors.values())), {TREE: tree}))
    header = json.dumps({"__metadata__": {TREE: tree}}).encode()  # the same format, 20 times faster
    return HEADER.pack(len(header)) + header


def _spec(named: tuple[str, Tensor]) -> tuple[str, safetensors.TensorSpec]:
    """Say where the bytes of a tensor are, which has to live until they are written."""
    name, tensor = named
    dtype = str(tensor.dtype).removeprefix("torch.")
    return name, safetensors.TensorSpec(
        dtype=dtype, shape=tensor.shape, data_ptr=tensor.data_ptr(), data_len=tensor.nbytes
    )


def header_length(data: bytes) -> int:
    """Bytes of JSON in a packed value: its tree, and where each tensor lies."""
    return int(HEADER.unpack_from(data)[0])


def unpack(data: bytes, header_limit: int | None = None) -> Any:
    """Return the value that `pack` wrote. Raises WireError where the bytes are malformed.

    `header_limit` is for bytes that cannot be trusted.
    """
    try:
        length = header_length(data)
        if header_limit is not None and length > header_limit:
            raise WireError(f"a header of {length} bytes")
        header = json.loads(data[HEADER.size : HEADER.size + length])
        tensors = safetensors.torch.load(data) if len(header) > 1 else {}
        return _decode(json.loads(header["__metadata__"][TREE]), tensors)
    except MemoryError:  # which is this machine's
        raise
    except Exception as error:  # whatever the bytes provoke, they are what is wrong
        raise WireError(f"not a packed value: {type(error).__name__}: {error}") from None


def seal(data: bytes, **about: str) -> bytes:
    """Packed bytes with their own SHA-256 among the metadata, for a file that nobody may edit.

    about: what else is to be known of the file before its value is read.
    """
    body = HEADER.size + header_length(data)
    header = json.loads(data[HEADER.size : body])
    header["__metadata__"] |= {**about, SEAL: "0" * 64}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # safetensors begins its tensors at a multiple of eight bytes
    blank = HEADER.pack(len(text)) + text + data[body:]
    return SEALED.sub(_seal(blank), blank, count=1)


def about(data: bytes) -> dict[str, str]:
    """Return what `seal` was told of the file, beside the tree and the seal itself."""
    header = json.loads(data[HEADER.size : HEADER.size + header_length(data)])
    return dict(header["__metadata__"])


def is_sealed(data: bytes) -> bool:
    """Tell whether bytes are as `seal` left them: no byte of them is another."""
    written = SEALED.search(data)
    return written is not None and written[0] == _seal(SEALED.sub(BLANK, data, count=1))


def _seal(blank: bytes) -> bytes:
    return BLANK.replace(b"0" * 64, hashlib.sha256(blank).hexdigest().encode())


def write_frame(stream: BinaryIO, data: bytes) -> None:
    """Write one length-prefixed message and flush it."""
    stream.write(HEADER.pack(len(data)) + data)
    stream.flush()


def read_frame(stream: BinaryIO, limit: int) -> bytes:
    """Read one message of at most `limit` bytes. Raises WireError if it is longer or cut short."""
    (length,) = HEADER.unpack(_read_exactly(stream, HEADER.size))
    if length > limit:
        raise WireError(f"a message of {length} bytes, at most {limit} are accepted")
    return _read_exactly(stream, length)


def _read_exactly(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) != size:
        raise WireError(f"the stream ended after {len(data)} of {size} bytes")
    return data


def _encode(value: Any, tensors: Tensors) -> Any:
    match value:
        case None | bool() | int() | float() | str():
            return value
        case Tensor():
            if id(value) not in tensors:
                dense = value.detach().cpu().contiguous().resolve_conj().resolve_neg()
                tensors[id(value)] = str(len(tensors)), dense
            return {"tensor": tensors[id(value)][0]}
        case Specimen(source=text) | Unsent(kind=text):
            return {type(value).__name__.lower(): text}
        case Stateful():
            return {"stateful": [type(value).__name__, _encode(parts(value), tensors)]}
        case tuple() | list():
            kind = "tuple" if isinstance(value, tuple) else "list"
            return {kind: [_encode(item, tensors) for item in value]}
        case dict() if all(isinstance(key, str) for key in value):
            return {"dict": {key: _encode(item, tensors) for key, item in value.items()}}
    raise TypeError(f"a {type(value).__name__} cannot be sent")


def _decode(tree: Any, tensors: dict[str, Tensor]) -> Any:
    if not isinstance(tree, dict):
        return tree
    ((kind, content),) = tree.items()
    match kind:
        case "tensor":
            return tensors[content]
        case "specimen" | "unsent":
            return Specimen(content) if kind == "specimen" else Unsent(clean(content, NAME))
        case "stateful":
            return KINDS[content[0]](**_decode(content[1], tensors))
        case "list" | "tuple":
            items = [_decode(item, tensors) for item in content]
            return items if kind == "list" else tuple(items)
        case "dict":
            return {key: _decode(item, tensors) for key, item in content.items()}
    raise WireError(f"no such kind of value: {kind}")
