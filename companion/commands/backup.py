"""`companion backup` and `companion restore`: everything worth keeping, in one file."""

from __future__ import annotations

from pathlib import Path

import click

from companion.backup import BackupError, restore_backup, write_backup
from companion.commands.shared.parameters import decks_of
from companion.settings import Settings, default_data_folder
from companion.storage.records import StoreError
from companion.storage.store import Store


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.pass_context
def backup(ctx: click.Context, file: Path) -> None:
    """Write matches, pictures, decks and names to one FILE, while the companion runs or not.

    Keys, certificates and devices are not in it.
    """
    partial = file.with_name(f"{file.name}.part")
    try:
        with partial.open("wb") as target:
            write_backup(_data(ctx), decks_of(ctx).folder, target)
        partial.replace(file)
    except OSError as error:
        raise click.ClickException(f"{file} cannot be written: {error.strerror}.") from error
    except BackupError as error:
        raise click.ClickException(str(error)) from error
    finally:
        partial.unlink(missing_ok=True)
    click.echo(f"{file}: {file.stat().st_size / 1e6:.1f} MB")


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.pass_context
def restore(ctx: click.Context, file: Path) -> None:
    """Add the contents of a backup FILE. Existing data are never overwritten.

    The exit status is 1 if something was left out.
    """
    from companion.server.archive.people import People
    from companion.server.archive.preferences import Preferences
    from companion.server.schema.match import last_match

    data = _data(ctx)
    store = Store(data)
    try:
        with file.open("rb") as opened:
            found = restore_backup(opened, store, decks_of(ctx))
    except OSError as error:
        raise click.ClickException(f"{file} cannot be read: {error.strerror}.") from error
    except (BackupError, StoreError) as error:
        raise click.ClickException(str(error)) from error
    finally:
        store.close()
    People(data / "people.json").meet(found.people)
    Preferences(data).adopt(last_match(found.choices))
    click.echo(f"Restored: {len(found.matches)} matches, {len(found.decks)} decks; {found.known} were there already.")
    for sentence in found.refused:
        click.echo(sentence, err=True)
    if found.refused:
        raise SystemExit(1)


def _data(ctx: click.Context) -> Path:
    return ctx.obj.data.folder if isinstance(ctx.obj, Settings) else default_data_folder()
