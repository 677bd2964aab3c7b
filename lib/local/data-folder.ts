import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StageError } from './stage-error.ts';

/** A stage's own folder. It is made if it is missing, and locked until the stage ends, however it ends. */
export class DataFolder {
  private readonly lock: DatabaseSync;

  /** Throws `StageError` if the folder can't be used, or is used by another stage. */
  constructor(path: string) {
    try {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      // SQLite's lock ends with the process that holds it; a mere file would outlive a SIGKILL.
      this.lock = new DatabaseSync(join(path, 'stage.lock'));
      this.lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT;');
    } catch (cause) {
      if (!String(cause).includes('locked')) {
        const reason = (cause as Error).message;
        throw new StageError(`The data folder ${path} can't be used: ${reason}.`, { cause });
      }
      const advice = 'stop it first, or give this one another folder with --data';
      throw new StageError(`Another stage runs on ${path}: ${advice}.`, { cause });
    }
  }

  close(): void {
    this.lock.close();
  }
}
