"""The tables of the matches' file, as migrations from one version to the next."""

# Each script migrates the file from the version of its index to the next. Never change a released one.
MIGRATIONS = (
    """
    CREATE TABLE match (
        id TEXT PRIMARY KEY, header TEXT NOT NULL, relaxed INTEGER NOT NULL, started REAL NOT NULL,
        touched REAL NOT NULL, moves INTEGER NOT NULL, over INTEGER NOT NULL, winners TEXT NOT NULL
    ) STRICT;
    CREATE TABLE journal (
        match TEXT NOT NULL REFERENCES match ON DELETE CASCADE, n INTEGER NOT NULL, entry TEXT NOT NULL,
        read_by TEXT NOT NULL, time REAL NOT NULL, reading TEXT, PRIMARY KEY (match, n)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE pending (
        match TEXT NOT NULL REFERENCES match ON DELETE CASCADE, n INTEGER NOT NULL, observation TEXT NOT NULL,
        PRIMARY KEY (match, n)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE reading (
        match TEXT NOT NULL REFERENCES match ON DELETE CASCADE, id TEXT NOT NULL, time REAL NOT NULL,
        probabilities TEXT NOT NULL, quad TEXT, PRIMARY KEY (match, id)
    ) STRICT;
    CREATE TABLE picture (
        number INTEGER PRIMARY KEY AUTOINCREMENT, match TEXT NOT NULL REFERENCES match ON DELETE CASCADE,
        reading TEXT NOT NULL, size INTEGER NOT NULL, jpeg BLOB NOT NULL, UNIQUE (match, reading)
    ) STRICT;
    CREATE TABLE correction (
        match TEXT NOT NULL REFERENCES match ON DELETE CASCADE, reading TEXT NOT NULL, card TEXT NOT NULL,
        time REAL NOT NULL, PRIMARY KEY (match, reading)
    ) STRICT, WITHOUT ROWID;
    """,
    # The order of use must not depend on the system clock.
    """
    ALTER TABLE match ADD COLUMN sequence INTEGER NOT NULL DEFAULT 0;
    UPDATE match SET sequence = (SELECT count(*) FROM match AS other WHERE other.touched <= match.touched);
    """,
    """
    ALTER TABLE journal ADD COLUMN direction REAL;
    ALTER TABLE match ADD COLUMN memory TEXT;
    """,
)
