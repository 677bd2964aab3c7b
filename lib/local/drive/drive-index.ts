import { randomBytes } from 'node:crypto';
import { DatabaseSync, type SQLInputValue, type SQLTagStore } from 'node:sqlite';

/** What the index keeps of a file beyond what the disk does. */
export interface IndexRow {
  id: string;
  /** The path of the file's folder relative to the Drive's; '' is the Drive itself. */
  parent: string;
  /** The file's name on disk. */
  disk_name: string;
  name: string | null;
  /** The type a client gave, if it differs from what the name on disk says. */
  mime_type: string | null;
  /** JSON of an object of strings. */
  app_properties: string;
  md5: string | null;
  /** The size and times that the file had when `md5` was computed. */
  md5_of: string | null;
}

/** What `change` may change in a row. */
type RowChanges = Partial<Omit<IndexRow, 'id' | 'parent' | 'disk_name'>>;

/** Makes an id that looks like Drive's: 33 characters. */
export const newFileId = () => `1${randomBytes(24).toString('base64url')}`;

/** Whether Drive could have given this id. */
export const isFileId = (id: string) => /^[\w-]{33}$/.test(id);

/** Which id belongs to which path. It is kept in a file, or without one in memory. */
export class DriveIndex {
  private readonly db: DatabaseSync;
  /** Makes statements of templates, and keeps them. */
  private readonly sql: SQLTagStore;

  constructor(file = ':memory:') {
    this.db = new DatabaseSync(file);
    this.db.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      CREATE TABLE IF NOT EXISTS files (
        id TEXT PRIMARY KEY,
        parent TEXT NOT NULL,
        disk_name TEXT NOT NULL,
        name TEXT,
        mime_type TEXT,
        app_properties TEXT NOT NULL DEFAULT '{}',
        md5 TEXT,
        md5_of TEXT,
        UNIQUE (parent, disk_name)
      );`);
    this.sql = this.db.createTagStore();
  }

  byId(id: string): IndexRow | undefined {
    return this.sql.get`SELECT * FROM files WHERE id = ${id}` as IndexRow | undefined;
  }

  /** Returns the rows of a folder's files; those not seen before get an id. */
  inFolder(parent: string, diskNames: string[]): IndexRow[] {
    const rows = this.sql.all`SELECT * FROM files WHERE parent = ${parent}`;
    const known = new Map((rows as unknown as IndexRow[]).map((row) => [row.disk_name, row]));
    return diskNames.map((name) => known.get(name) ?? this.add(newFileId(), parent, name));
  }

  /** Returns the row of a path; one not seen before gets an id. */
  byPath(parent: string, diskName: string): IndexRow {
    const found = this.sql
      .get`SELECT * FROM files WHERE parent = ${parent} AND disk_name = ${diskName}`;
    return (found as IndexRow | undefined) ?? this.add(newFileId(), parent, diskName);
  }

  /** Gives a path an id. A row that had either is removed: its file is no longer on disk. */
  add(id: string, parent: string, diskName: string): IndexRow {
    return this.sql
      .get`INSERT OR REPLACE INTO files (id, parent, disk_name) VALUES (${id}, ${parent}, ${diskName}) RETURNING *` as unknown as IndexRow;
  }

  change(id: string, changes: RowChanges): void {
    const columns = Object.keys(changes);
    if (columns.length === 0) return;
    const set = columns.map((column) => `${column} = ?`).join(', ');
    const values = Object.values(changes) as SQLInputValue[];
    this.db.prepare(`UPDATE files SET ${set} WHERE id = ?`).run(...values, id);
  }

  close(): void {
    this.db.close();
  }
}

/** Joins paths relative to the Drive's folder, which is ''. */
export const joinPath = (parent: string, name: string) => (parent ? `${parent}/${name}` : name);
