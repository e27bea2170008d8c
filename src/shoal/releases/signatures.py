"""Signatures: the only module that imports cryptography. A manifest is signed as it is, by Ed25519.

A key is a PEM file, a signature a file of 64 bytes beside the manifest; other programs read both.
"""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from shoal.foundation.atomic_write import check_file, write_file
from shoal.foundation.errors import CertificateError, MissingExtraError, SpecError
from shoal.jobs.keys.secret_files import read_key_file, read_secret, write_secret
from shoal.releases.claims.manifest import PUBLIC_MANIFEST, SIGNATURE, Manifest, signatures_of

_PRIVATE = "private key"


def new_key(path: Path) -> Path:
    """Make a private key that only the user may read, and the public key beside it; return where that is.

    Args:
        path: The file of the private key, not in a release; that of the public one has `.pub` at its end.
    """
    library = _library()
    public = path.with_name(f"{path.name}.pub")
    for one in (path, public):
        check_file(one)
    made = library.ed25519.Ed25519PrivateKey.generate()
    plain = library.serialization
    text = made.private_bytes(plain.Encoding.PEM, plain.PrivateFormat.PKCS8, plain.NoEncryption())
    told = made.public_key().public_bytes(plain.Encoding.PEM, plain.PublicFormat.SubjectPublicKeyInfo)
    write_secret(path, text, _PRIVATE)
    write_file(public, lambda draft: draft.write_bytes(told), public=True)
    return public


def signed(folder: Path, manifest: Manifest, key: Path, name: str) -> Path:
    """Sign a manifest, and return where the signature is.

    Args:
        folder: The folder of the manifest.
        manifest: The manifest.
        key: The private key.
        name: Whose signature it is, as a part of the name of its file.
    """
    path = folder / f"{manifest.name}.{name}{SIGNATURE}"
    signature = _private(key).sign(manifest.text)
    if not path.is_file() or path.read_bytes() != signature:
        check_file(path)
        write_file(path, lambda draft: draft.write_bytes(signature), public=manifest.name == PUBLIC_MANIFEST)
    return path


def check_signature(folder: Path, manifest: Manifest | None, key: Path) -> list[str]:
    """Return the files of the signatures by a key.

    Raises:
        CertificateError: There is none, or it does not fit.
    """
    public = _public(key)
    if manifest is None:
        raise CertificateError(f"'{folder}' has no list of its files, so that there is nothing that could be signed.")
    names = signatures_of(folder, manifest.name)
    if not names:
        raise CertificateError(f"{manifest.name} has no signature in '{folder}'.")
    found = [name for name in names if _fits(public, read_key_file(folder / name), manifest.text)]
    if not found:
        raise CertificateError(
            f"{manifest.name} was not signed with the key '{key}', or was changed since: of its {len(names)} "
            "signatures none matches."
        )
    return found


def checked_signatures(folder: Path, manifest: Manifest | None, keys: Sequence[str | Path]) -> dict[str, str | None]:
    """Check the signatures of a list of files by some keys; return all that are there, each with its key if it was."""
    found: dict[str, str | None] = dict.fromkeys([] if manifest is None else signatures_of(folder, manifest.name))
    for key in keys:
        found |= dict.fromkeys(check_signature(folder, manifest, Path(key)), str(key))
    return found


def _library() -> Any:
    """Return the parts of cryptography that are needed, or raise a MissingExtraError."""
    try:
        from cryptography import exceptions
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise MissingExtraError("cryptography", "sign") from None
    return SimpleNamespace(exceptions=exceptions, serialization=serialization, ed25519=ed25519)


def _private(path: Path) -> Any:
    """Read a private key, which nobody else may read and which is in no release."""
    library = _library()
    text = read_secret(path, _PRIVATE)
    try:
        key = library.serialization.load_pem_private_key(text, password=None)
    except (ValueError, TypeError, library.exceptions.UnsupportedAlgorithm):
        key = None
    if not isinstance(key, library.ed25519.Ed25519PrivateKey):
        raise SpecError(f"'{path}' is not a private key for Ed25519 in a PEM file without a password.")
    return key


def _public(path: Path) -> Any:
    """Read a public key."""
    library = _library()
    text = read_key_file(path)
    try:
        key = library.serialization.load_pem_public_key(text)
    except (ValueError, TypeError, library.exceptions.UnsupportedAlgorithm):
        key = None
    if not isinstance(key, library.ed25519.Ed25519PublicKey):
        raise SpecError(f"'{path}' is not a public key for Ed25519 in a PEM file: 'shoal sign --new-key' makes one.")
    return key


def _fits(key: Any, signature: bytes, text: bytes) -> bool:
    try:
        key.verify(signature, text)
    except _library().exceptions.InvalidSignature:
        return False
    return True
