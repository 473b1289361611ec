"""Object code as LLVM writes it for Linux on x86-64, read as the bytes that are to stand in memory.

Layout of the file: System V ABI, "Object Files"; relocations: its supplement for AMD64 (psABI), table 4.9. Whatever is
not known here, or does not fit, is left to LLVM's own loader.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from operator_algebra.backends.native.image import LINE, Absolute, Image

_HEADER = struct.Struct("<4s4B8x2HI3QI6H")
_SECTION = struct.Struct("<2I4Q2I2Q")
_SYMBOL = struct.Struct("<I2BH2Q")
_RELOCATION = struct.Struct("<2Qq")
_KIND = b"\x7fELF", 2, 1, 1  # 64 bits, little-endian, version
_SYSTEMS = (0, 3)  # none in particular, GNU
_FOR_LINKING, _X86_64 = 1, 62
_BYTES, _SYMBOLS, _STRINGS, _RELOCATIONS, _RELOCATIONS_IN_PLACE, _UNWINDING = 1, 2, 3, 4, 9, 0x70000001
_IN_MEMORY = 0x2
_HARMLESS = _IN_MEMORY | 0x4 | 0x10 | 0x20 | 0x10000000  # may run, be merged, holds strings, may be far
_ANYWHERE, _ONE_FILE, _ALL_FILES, _FUNCTION, _LAST_KIND = 0, 0, 1, 2, 3
_PAGE = 4096
_ADDRESS, _RELATIVE, _CALL = 1, 2, 4


class _Section(NamedTuple):
    name: int
    kind: int
    flags: int
    address: int
    start: int
    size: int
    link: int
    info: int
    alignment: int
    width: int


class _Symbol(NamedTuple):
    name: str
    binding: int
    kind: int
    section: int
    value: int


class _UnknownError(Exception):
    """Something that is not written here."""


def image_of(code: bytes) -> Image | None:
    """What a file of object code puts into memory; None if any of it is not understood."""
    try:
        sections = _sections(code)
        memory, places = _laid(code, sections)
        (symbols,) = (i for i, section in enumerate(sections) if section.kind == _SYMBOLS)
        named = _symbols(code, sections, symbols)
        absolute: list[Absolute] = []
        for section in sections:
            if section.info not in places or section.kind not in (_RELOCATIONS, _RELOCATIONS_IN_PLACE):
                continue
            _demand(section.kind == _RELOCATIONS and section.link == symbols)
            room = places[section.info], sections[section.info].size
            rows: Iterator[tuple[int, int, int]] = _RELOCATION.iter_unpack(_content(code, section))
            for place, info, addend in rows:
                _demand(place <= room[1])
                at = room[0] + place
                absolute += _related(memory, at, room[1] - place, info & 0xFFFFFFFF, addend, named[info >> 32], places)
        functions = {
            symbol.name: places[symbol.section] + symbol.value
            for symbol in named
            if symbol.kind == _FUNCTION and symbol.binding == _ALL_FILES and symbol.section in places
        }
    except (_UnknownError, struct.error, ValueError, LookupError):
        return None
    return Image.checked(bytes(memory), functions, absolute)


def _demand(known: bool) -> None:
    if not known:
        raise _UnknownError


def _part(code: bytes, start: int, size: int) -> bytes:
    _demand(start + size <= len(code))
    return code[start : start + size]


def _content(code: bytes, section: _Section) -> bytes:
    return _part(code, section.start, section.size)


def _sections(code: bytes) -> list[_Section]:
    fields = _HEADER.unpack_from(code)
    *kind, system, purpose, processor, version, _, _, start, _, header, _, _, width, count, _ = fields
    _demand(tuple(kind) == _KIND and system in _SYSTEMS and version == 1)
    _demand((purpose, processor, header, width) == (_FOR_LINKING, _X86_64, _HEADER.size, _SECTION.size))
    return [_Section(*one) for one in _SECTION.iter_unpack(_part(code, start, count * width))]


def _laid(code: bytes, sections: Sequence[_Section]) -> tuple[bytearray, dict[int, int]]:
    """What stands in memory, and where each section does: one after the other; how to unwind calls is left out."""
    memory, places = bytearray(), dict[int, int]()
    for i, section in enumerate(sections):
        if not section.flags & _IN_MEMORY or section.kind == _UNWINDING:
            continue
        _demand(section.kind == _BYTES and not section.flags & ~_HARMLESS and section.alignment <= _PAGE)
        _demand(section.alignment.bit_count() <= 1)  # a power of two, or none
        memory += bytes(-len(memory) % max(section.alignment, LINE))
        places[i] = len(memory)
        memory += _content(code, section)
        _demand(len(memory) <= 2 * len(code))  # no two sections are the same bytes
    return memory, places


def _symbols(code: bytes, sections: Sequence[_Section], table: int) -> list[_Symbol]:
    strings = sections[sections[table].link]
    _demand(strings.kind == _STRINGS and sections[table].width == _SYMBOL.size)
    names = _content(code, strings)
    found: list[_Symbol] = []
    for name, info, _, section, value, _ in _SYMBOL.iter_unpack(_content(code, sections[table])):
        text = names[name : names.index(0, name)].decode("ascii")
        found.append(_Symbol(text, info >> 4, info & 15, section, value))
    return found


def _related(
    memory: bytearray, at: int, room: int, kind: int, addend: int, to: _Symbol, places: Mapping[int, int]
) -> list[Absolute]:
    """Fill in what is relative; the address that is to be filled in later, if it is one."""
    _demand(to.kind <= _LAST_KIND and to.binding in (_ONE_FILE, _ALL_FILES))
    if to.section == _ANYWHERE:
        _demand(kind == _ADDRESS and to.binding == _ALL_FILES and bool(to.name) and room >= 8)
        return [Absolute(at, to.name, addend)]
    value = places[to.section] + to.value + addend
    if kind == _ADDRESS:
        _demand(room >= 8)
        return [Absolute(at, "", value)]
    _demand(kind in (_RELATIVE, _CALL) and room >= 4)
    struct.pack_into("<i", memory, at, value - at)
    return []
