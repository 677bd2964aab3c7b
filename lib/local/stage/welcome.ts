import { join } from 'node:path';
import { rootFolderId } from '../drive/drive-folder.ts';
import type { Stage, StageOptions } from './stage.ts';

type Options = Pick<StageOptions, 'dataDir' | 'memory' | 'models'>;

/** Returns what a stage prints once it runs: where everything is, and a first job to submit. */
export function welcome(stage: Stage, apiKey: string, options: Options): string {
  const { baseUrl, localWeb } = stage;
  const job =
    '{"job_type":"chat","inline":{"messages":[{"role":"user","content":"Hello, Quire!"}]}}';
  return `
Open the console: ${baseUrl}/console#key=${apiKey}

Quire runs at ${baseUrl}
  API key   ${apiKey}
  drive     ${join(options.dataDir, 'drive')} (the folder ${rootFolderId})
  web       ${join(options.dataDir, 'web')}${localWeb ? '' : ' (not searched: a real provider is set)'}
  data      ${options.memory ? 'in memory, forgotten at the end' : options.dataDir}
  models    ${modelsLine(stage, options)}

Submit a job, then list what became of it:
  curl ${baseUrl}/batch/jobs -H 'Authorization: Bearer ${apiKey}' -d '${job}'
  curl ${baseUrl}/batch/jobs -H 'Authorization: Bearer ${apiKey}'

Ctrl-C stops it.
`;
}

/** Names the upstreams, and the models if they are not the catalogue's. */
function modelsLine({ offlineModel }: Stage, { models: own }: Options): string {
  if (offlineModel) return 'the built-in offline model (set OPENAI_API_KEY for a real provider)';
  const where = process.env['OPENAI_BASE_URL'] ?? 'the providers of the catalogue';
  const models = [...own.models, ...(own.embeddingModels ?? [])];
  return models.length > 0 ? `${models.join(', ')}, at ${where}` : where;
}
