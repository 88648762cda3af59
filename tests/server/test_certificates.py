"""The local certificate authority, and the server that uses it."""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import threading
from pathlib import Path

import pytest
from cryptography import x509
from flask.testing import FlaskClient

from companion.server.access.certificates import ensure_certificates, fault_of, sign_for
from companion.server.app import create_app, services_of
from companion.server.core.config import ServerConfig
from companion.server.network.addresses import interfaces
from companion.server.network.connections import SslAdapter
from companion.server.network.lan import LanAccess
from companion.server.network.listeners import GatedServer, Listeners, PortTakenError
from companion.server.services.services import Services

ADDRESSES = ["192.168.1.7", "127.0.0.1", "localhost", "table.local"]


def test_the_authority_is_made_once_and_kept_private(tmp_path: Path) -> None:
    first = ensure_certificates(tmp_path / "tls", ADDRESSES)
    again = ensure_certificates(tmp_path / "tls", ADDRESSES)
    assert first.fingerprint == again.fingerprint
    assert first.certificate.read_bytes() == again.certificate.read_bytes()
    for key in ("authority.key", "server.key"):
        assert (tmp_path / "tls" / key).stat().st_mode & 0o077 == 0


def test_another_address_is_given_another_certificate_of_the_same_authority(tmp_path: Path) -> None:
    first = ensure_certificates(tmp_path, ADDRESSES)
    served, trusted = first.certificate.read_bytes(), first.fingerprint
    moved = ensure_certificates(tmp_path, ["10.0.0.5", *ADDRESSES])
    assert moved.certificate.read_bytes() != served
    assert moved.fingerprint == trusted


def test_the_authority_vouches_for_private_places_alone(tmp_path: Path) -> None:
    made = ensure_certificates(tmp_path, ADDRESSES)
    authority = x509.load_pem_x509_certificate(made.authority.read_bytes())
    allowed = authority.extensions.get_extension_for_class(x509.NameConstraints)
    assert allowed.critical
    for name in allowed.value.permitted_subtrees or []:
        if isinstance(name, x509.IPAddress):
            network = ipaddress.ip_network(str(name.value))
            assert network.is_private or network.is_link_local or network.is_loopback
        else:
            assert name.value in ("localhost", "local")


@pytest.mark.parametrize(
    "content", [b"", b"\xff\x00rubbish", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]
)
@pytest.mark.parametrize("name", ["authority.pem", "authority.key", "server.pem", "server.key"])
def test_damaged_files_are_created_again_and_kept_aside(
    name: str, content: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    trusted = ensure_certificates(tmp_path, ADDRESSES).fingerprint
    (tmp_path / name).write_bytes(content)
    made = ensure_certificates(tmp_path, ADDRESSES)
    assert (tmp_path / f"{name}.damaged").read_bytes() == content
    assert "is replaced" in caplog.text
    assert (made.fingerprint == trusted) == name.startswith("server")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made.certificate, made.key)
    authority = x509.load_pem_x509_certificate(made.authority.read_bytes())
    x509.load_pem_x509_certificate(made.certificate.read_bytes()).verify_directly_issued_by(authority)


def test_addresses_outside_the_constraints_are_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    foreign = ["100.64.0.7", "2001:db8::5", "8.8.8.8", "uno.example", "localhost.example"]
    made = ensure_certificates(tmp_path, [*foreign, *ADDRESSES])
    assert made.refused == tuple(foreign)
    assert "limited to private addresses" in caplog.text
    assert fault_of(made) is None


def test_a_certificate_that_violates_its_constraints_is_found_and_replaced(tmp_path: Path) -> None:
    made = ensure_certificates(tmp_path, ADDRESSES)
    sign_for(made, tmp_path / "authority.key", [*ADDRESSES, "100.64.0.7"])
    assert "permitted subtree violation" in str(fault_of(made))
    assert fault_of(ensure_certificates(tmp_path, ADDRESSES)) is None


def test_a_key_of_another_certificate_is_no_key(tmp_path: Path) -> None:
    made = ensure_certificates(tmp_path / "one", ADDRESSES)
    other = ensure_certificates(tmp_path / "two", ADDRESSES)
    made.key.write_bytes(other.key.read_bytes())
    made = ensure_certificates(tmp_path / "one", ADDRESSES)
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(made.certificate, made.key)


def test_a_device_that_trusts_the_authority_connects(tmp_path: Path) -> None:
    app = create_app(ServerConfig(data=tmp_path))
    certificates = ensure_certificates(tmp_path / "tls", ["127.0.0.1"])
    server = GatedServer(["127.0.0.1"], 0, app, None)
    server.ssl_adapter = SslAdapter(str(certificates.certificate), str(certificates.key))
    server.prepare()
    threading.Thread(target=server.serve, daemon=True).start()
    port = server.port
    trusting = ssl.create_default_context(cafile=str(certificates.authority))
    connection = http.client.HTTPSConnection("127.0.0.1", port, context=trusting)
    connection.request("GET", "/api/me")
    answer = connection.getresponse()
    assert answer.status == 200
    assert b'"secure":true' in answer.read()
    connection.close()
    with pytest.raises(ssl.SSLCertVerificationError), socket.create_connection(("127.0.0.1", port)) as raw:
        ssl.create_default_context().wrap_socket(raw, server_hostname="127.0.0.1")
    server.stop()
    services_of(app).close()


def test_others_are_let_in_only_while_the_host_says_so(tmp_path: Path) -> None:
    if not interfaces():
        pytest.skip("this computer is on no network")
    config = ServerConfig(data=tmp_path, port=0, tls_port=0)
    app = create_app(config)
    listeners = Listeners(app, config)
    listeners.start()
    assert not listeners.open
    listeners.set_open(True)
    schemes = [address.partition(":")[0] for address in listeners.addresses()]
    assert sorted(schemes, reverse=True) == schemes
    assert "http" in schemes
    assert listeners.authority is not None
    listeners.set_open(False)
    assert listeners.addresses() == []
    listeners.stop()
    services_of(app).close()


def test_a_taken_port_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        config = ServerConfig(data=tmp_path, port=taken.getsockname()[1])
        app = create_app(config)
        with pytest.raises(PortTakenError, match="is taken: choose another"):
            Listeners(app, config).start()
        services_of(app).close()


def test_apples_devices_are_shown_the_authority_and_others_get_it_as_a_file(
    client: FlaskClient, services: Services
) -> None:
    class SignedLan(LanAccess):
        authority = (b"a certificate", "its fingerprint")

    services.lan = SignedLan()
    for agent, how in (("iPhone", "inline"), ("Macintosh", "inline"), ("Android", "attachment"), ("", "attachment")):
        answer = client.get("/api/trust/authority.crt", headers={"User-Agent": agent})
        assert answer.content_type == "application/x-x509-ca-cert"
        assert answer.headers["Content-Disposition"].startswith(how)
