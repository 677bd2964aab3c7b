import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { useFolder } from '../support/run/use-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = useFolder();

beforeAll(() => {
  for (const top of ['bin', 'functions', 'lib', 'shared'])
    cpSync(join(root, top), join(folder, top), { recursive: true });
});

function check(checkout: string): { code: number | null; refused: string[] } {
  const script = fileURLToPath(new URL('check.ts', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [script, checkout], { encoding: 'utf8' });
  return { code: status, refused: stderr.trim().split('\n').filter(Boolean) };
}

it('a checkout whose imports go down passes', () => {
  expect(check(root)).toEqual({ code: 0, refused: [] });
});

it('each import that is planted and goes up, or where it may not go, is refused by name', () => {
  const planted = [
    ['shared/ledger/terms/charge.ts', '../../webhooks/event-writes.ts'],
    ['shared/ledger/account/credit.ts', '../parts/part-id.ts'],
    ['shared/chat/respond.ts', '../ledger/parts/whole.ts'],
    ['shared/ledger/parts/move.ts', '../reserve.ts'],
    ['shared/pages/follow.ts', '../connectors/drive-documents.ts'],
    ['shared/pages/send.ts', '../webhooks/event-writes.ts'],
    ['shared/documents/kind.ts', '../ledger/terms/charge.ts'],
    ['shared/http/cors.ts', '../jobs/engine/item/job.ts'],
    ['shared/connectors/ask-drive.ts', '../documents/kind.ts'],
    ['shared/log.ts', './jobs/engine/item/job.ts'],
    ['shared/jobs/engine/item/job.ts', '../../../../lib/stack/settings/settings.ts'],
    ['shared/jobs/engine/item/progress.ts', '../run/failure.ts'],
    ['shared/jobs/reading/page-steps.ts', '../kinds/kinds.ts'],
    ['functions/get-job.ts', '../lib/stack/settings/settings.ts'],
    ['functions/list-jobs.ts', './get-job.ts'],
    ['lib/stack/settings/settings.ts', '../../../bin/app.ts'],
  ] as const;
  for (const [file, path] of planted)
    appendFileSync(join(folder, file), `\nimport type {} from '${path}';\n`);

  const { code, refused } = check(folder);

  expect(code).toBe(1);
  expect(refused.map((sentence) => sentence.split(' ')[0]).sort()).toEqual(
    planted.map(([file]) => file).sort(),
  );
});
