import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StageError } from './stage-error.ts';

/** What the stage itself remembers: how far each stream was read. Its file's lock keeps a second stage out. */
export class StageStore {
  private readonly db: DatabaseSync;

  /** With `memory`, it forgets what an earlier stage remembered. */
  constructor(dataDir: string, memory: boolean) {
    try {
      this.db = new DatabaseSync(join(dataDir, memory ? 'memory-stage.db' : 'stage.db'));
      this.db.exec(`
        PRAGMA locking_mode = EXCLUSIVE;
        PRAGMA synchronous = NORMAL;
        BEGIN EXCLUSIVE;
        ${memory ? 'DROP TABLE IF EXISTS checkpoints;' : ''}
        CREATE TABLE IF NOT EXISTS checkpoints (stream TEXT PRIMARY KEY, position TEXT NOT NULL);
        COMMIT;`);
    } catch (cause) {
      if (!String(cause).includes('locked')) {
        const reason = (cause as Error).message;
        throw new StageError(`The data folder ${dataDir} can't be used: ${reason}.`, { cause });
      }
      const advice = 'stop it first, or give this one another folder with --data';
      throw new StageError(`Another stage runs on ${dataDir}: ${advice}.`, { cause });
    }
  }

  /** The sequence number of the last record of a stream that was delivered. */
  checkpoint(stream: string): string | undefined {
    const row = this.db.prepare('SELECT position FROM checkpoints WHERE stream = ?').get(stream);
    return row?.['position'] as string | undefined;
  }

  saveCheckpoint(stream: string, position: string): void {
    this.db.prepare('INSERT OR REPLACE INTO checkpoints VALUES (?, ?)').run(stream, position);
  }

  close(): void {
    this.db.close();
  }
}
