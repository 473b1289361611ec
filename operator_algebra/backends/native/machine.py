"""LLVM in this process, through llvmlite: text of IR to object code for this processor, object code to a function."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from re import MULTILINE, search
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from operator_algebra.backends.native import elf
from operator_algebra.backends.native.facts import EFFORT
from operator_algebra.backends.native.image import Image
from operator_algebra.backends.native.loaded import Loaded

if TYPE_CHECKING:

    class _Features(Protocol):
        def get(self, name: str, /) -> bool | None: ...
        def flatten(self) -> str: ...

    class _TargetMachine(Protocol):
        def emit_object(self, module: object, /) -> bytes: ...

    class _Target(Protocol):
        def create_target_machine(
            self, *, cpu: str, features: str, opt: int, reloc: str, codemodel: str
        ) -> _TargetMachine: ...

    class _Targets(Protocol):
        def from_default_triple(self) -> _Target: ...

    class _Engine(Protocol):
        def add_object_file(self, file: object, /) -> None: ...
        def finalize_object(self) -> None: ...
        def get_function_address(self, name: str, /) -> int: ...

    class _ObjectFiles(Protocol):
        def from_data(self, data: bytes, /) -> object: ...

    class _Binding(Protocol):
        """What is used of `llvmlite.binding`."""

        llvm_version_info: tuple[int, ...]
        Target: _Targets
        ObjectFileRef: _ObjectFiles

        def initialize_native_target(self) -> None: ...
        def initialize_native_asmprinter(self) -> None: ...
        def add_symbol(self, name: str, address: int, /) -> None: ...
        def get_host_cpu_name(self) -> str: ...
        def get_host_cpu_features(self) -> _Features: ...
        def parse_assembly(self, text: str, /) -> object: ...
        def create_mcjit_compiler(self, module: object, machine: _TargetMachine, /, *, use_lmm: bool) -> _Engine: ...


class Machine(NamedTuple):
    """LLVM for this processor."""

    binding: _Binding
    processor: str
    features: str
    lanes: int
    """Doubles in a vector register."""
    fuses: bool
    """Whether it multiplies and adds in one operation."""
    made_by: str
    """What makes the code, with its versions."""

    @property
    def facts(self) -> str:
        """The same as `facts`, where the system does not tell enough."""
        return "\n".join((self.made_by, self.processor, self.features))

    def compiled(self, text: str) -> bytes:
        """The object code of a module."""
        near = not search(r"^declare [^@]*@(?!llvm\.)", text, MULTILINE)  # calls nothing that stands elsewhere
        return self._target(near=near).emit_object(self.binding.parse_assembly(text))

    def image_of(self, code: bytes) -> Image | None:
        """What object code puts into memory, which later needs no LLVM; None if it is not understood."""
        return elf.image_of(code)

    def loaded(self, code: bytes, outside: Mapping[str, int] | None = None) -> Loaded:
        """The functions of object code, which calls others at these addresses."""
        for name, address in (outside or {}).items():
            self.binding.add_symbol(name, address)
        empty = self.binding.parse_assembly("")
        engine = self.binding.create_mcjit_compiler(empty, self._target(near=False), use_lmm=True)
        engine.add_object_file(self.binding.ObjectFileRef.from_data(code))
        engine.finalize_object()
        return Loaded(engine.get_function_address, engine)

    def _target(self, *, near: bool) -> _TargetMachine:
        """An engine owns the machine that it was made with: each gets its own.

        Code that finds its numbers near by has no address of eight bytes for each; `use_lmm` puts both into one block.
        """
        target = self.binding.Target.from_default_triple()
        how = ("pic", "small") if near else ("default", "jitdefault")
        named = dict(zip(("reloc", "codemodel"), how, strict=True))
        return target.create_target_machine(cpu=self.processor, features=self.features, opt=EFFORT, **named)


@cache
def machine() -> Machine | None:
    """LLVM for this processor; None where llvmlite is not installed or does not run."""
    try:
        binding = cast("_Binding", import_module("llvmlite.binding"))
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
        features = binding.get_host_cpu_features()
    except (ImportError, OSError, RuntimeError):
        return None
    lanes = 8 if features.get("avx512f") else 4 if features.get("avx") else 2
    llvm = ".".join(map(str, binding.llvm_version_info))
    version = cast("str", import_module("llvmlite").__version__)
    made_by = f"llvmlite {version}, LLVM {llvm}"
    return Machine(binding, binding.get_host_cpu_name(), features.flatten(), lanes, bool(features.get("fma")), made_by)
