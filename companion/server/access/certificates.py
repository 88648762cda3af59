"""A local certificate authority, created once, and the server certificate that it signs.

Name constraints restrict the authority to private addresses, localhost and .local names, so trusting it puts no other
site at risk. Its key never leaves the data folder.
"""

from __future__ import annotations

import ipaddress
import logging
import socket
import ssl
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from companion.storage.private import write_private

_log = logging.getLogger(__name__)

OUTSIDE = "the certificate authority is limited to private addresses, localhost and .local names, to be safe to trust."
_AUTHORITY_DAYS, _SERVER_DAYS, _RENEW_DAYS = 3650, 390, 30
_PRIVATE = (
    "10.0.0.0/8",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "169.254.0.0/16",
    "127.0.0.0/8",
    "fc00::/7",
    "fe80::/10",
    "::1/128",
)


@dataclass(frozen=True)
class Certificates:
    """The files that a TLS server needs, and the authority's certificate for devices."""

    certificate: Path
    key: Path
    authority: Path
    refused: tuple[str, ...] = ()
    """Requested addresses and names outside the authority's name constraints, which the certificate does not cover."""

    @property
    def authority_der(self) -> bytes:
        """The authority's certificate in the form that devices install (DER)."""
        return self._authority.public_bytes(serialization.Encoding.DER)

    @property
    def fingerprint(self) -> str:
        """The authority's SHA-256 fingerprint, for comparison by eye."""
        return self._authority.fingerprint(hashes.SHA256()).hex(":").upper()

    @property
    def _authority(self) -> x509.Certificate:
        return x509.load_pem_x509_certificate(self.authority.read_bytes())


def ensure_certificates(folder: Path, addresses: Sequence[str]) -> Certificates:
    """Return certificates for these addresses and names, creating or renewing them in the folder if needed.

    Empty or damaged files are set aside, logged and replaced. Raises OSError if the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    found = Certificates(folder / "server.pem", folder / "server.key", folder / "authority.pem")
    authority_key = folder / "authority.key"
    authority = _read_pair(found.authority, authority_key)
    if authority is None:
        _make_authority(found.authority, authority_key)
        authority = x509.load_pem_x509_certificate(found.authority.read_bytes())
    permitted = [address for address in addresses if is_permitted(authority, address)]
    refused = tuple(address for address in addresses if address not in permitted)
    if refused:
        _log.warning("No HTTPS at %s: %s", ", ".join(refused), OUTSIDE)
    server = _read_pair(found.certificate, found.key)
    if server is None or not _covers(server, authority, permitted):
        sign_for(found, authority_key, permitted)
    return replace(found, refused=refused)


def is_permitted(authority: x509.Certificate, name: str) -> bool:
    """Return whether the authority's name constraints permit an address or host name (RFC 5280, section 4.2.1.10)."""
    try:
        constraints = authority.extensions.get_extension_for_class(x509.NameConstraints).value.permitted_subtrees or []
    except x509.ExtensionNotFound:
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        domains = [each.value for each in constraints if isinstance(each, x509.DNSName)]
        return any(name == domain or name.endswith(f".{domain}") for domain in domains)
    networks = [ipaddress.ip_network(str(each.value)) for each in constraints if isinstance(each, x509.IPAddress)]
    return any(address in network for network in networks)


def fault_of(found: Certificates) -> str | None:
    """Return why OpenSSL rejects the server certificate for one of its own names, None if it accepts all."""
    certificate = x509.load_pem_x509_certificate(found.certificate.read_bytes())
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    for name in names:
        if fault := _handshake(found, str(name.value)):
            return f"{name.value}: {fault}"
    return None


def _handshake(found: Certificates, name: str) -> str | None:
    """Shake hands with ourselves in memory, as a device that trusts the authority would; return what fails."""
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(found.certificate, found.key)
    trusting = ssl.create_default_context(cafile=found.authority)
    up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = trusting.wrap_bio(down, up, server_hostname=name)
    server = serving.wrap_bio(up, down, server_side=True)
    with suppress(ssl.SSLWantReadError):
        client.do_handshake()
    with suppress(ssl.SSLWantReadError):
        server.do_handshake()
    try:
        client.do_handshake()
    except ssl.SSLCertVerificationError as error:
        return error.verify_message
    return None


def _read_pair(path: Path, key_path: Path) -> x509.Certificate | None:
    """Return a certificate whose key lies beside it; None if missing, or damaged and set aside."""
    if not (path.exists() and key_path.exists()):
        return None
    try:
        certificate = x509.load_pem_x509_certificate(path.read_bytes())
        key = serialization.load_pem_private_key(key_path.read_bytes(), password=None)
        if key.public_key() == certificate.public_key():
            return certificate
        fault = "the key is another certificate's"
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        fault = str(error)
    for damaged in (path, key_path):
        damaged.replace(damaged.with_name(f"{damaged.name}.damaged"))
    _log.warning(
        "The certificate %s cannot be used (%s) and is replaced; the old files are kept as %s.damaged and %s.damaged. "
        "Devices that trusted it must trust the new one.", path, fault, path.name, key_path.name
    )  # fmt: skip
    return None


def _covers(certificate: x509.Certificate, authority: x509.Certificate, addresses: Sequence[str]) -> bool:
    """Return whether a server certificate covers these addresses for a while and is signed by this authority."""
    try:
        certificate.verify_directly_issued_by(authority)
    except (ValueError, TypeError, InvalidSignature):
        return False
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    fresh = certificate.not_valid_after_utc > datetime.now(UTC) + timedelta(days=_RENEW_DAYS)
    # One name outside the constraints would invalidate the certificate for all of them.
    valid = all(is_permitted(authority, str(name.value)) for name in names)
    return fresh and valid and all(_general_name(address) in names for address in addresses)


def _make_authority(path: Path, key_path: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    label = f"UNO table companion on {socket.gethostname()}"[:64]
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, label)])
    allowed: list[x509.GeneralName] = [x509.IPAddress(ipaddress.ip_network(network)) for network in _PRIVATE]
    allowed += [x509.DNSName("localhost"), x509.DNSName("local")]
    certificate = (
        _builder(name, name, key.public_key(), _AUTHORITY_DAYS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs=True), critical=True)
        .add_extension(x509.NameConstraints(allowed, None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    _write_key(key_path, key)
    write_private(path, certificate.public_bytes(serialization.Encoding.PEM))


def sign_for(files: Certificates, authority_key: Path, addresses: Sequence[str]) -> None:
    """Make the server certificate for these addresses and names, which must lie within the authority's constraints."""
    authority = x509.load_pem_x509_certificate(files.authority.read_bytes())
    signer = serialization.load_pem_private_key(authority_key.read_bytes(), password=None)
    assert isinstance(signer, ec.EllipticCurvePrivateKey)
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "UNO table companion")])
    names = x509.SubjectAlternativeName([_general_name(address) for address in addresses])
    certificate = (
        _builder(name, authority.subject, key.public_key(), _SERVER_DAYS)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(names, critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()),
            critical=False,
        )
        .sign(signer, hashes.SHA256())
    )
    _write_key(files.key, key)
    chain = certificate.public_bytes(serialization.Encoding.PEM) + files.authority.read_bytes()
    write_private(files.certificate, chain)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, days: int
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=days))
    )


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        key_cert_sign=signs,
        crl_sign=signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _general_name(address: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(address))
    except ValueError:
        return x509.DNSName(address)


def _write_key(path: Path, key: ec.EllipticCurvePrivateKey) -> None:
    data = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    write_private(path, data)
