import { CommandError, parseOptions } from '../../../lib/cli/command-line.ts';
import type { Service } from '../../../lib/cli/service.ts';
import { reachDirectly } from '../../../lib/local/engines/no-proxy.ts';
import { readStageFile } from '../../../lib/local/stage-file.ts';

export const evaluateHelp = `Has documents' fields extracted, and says how many are right.

  npm run evaluate -- FOLDER [options]

  --url URL            the service to ask; its key is read from QUIRE_KEY. By default the running local stage
  --data DIR           the folder of the running local stage; default .local
  --model M            the model to ask; by default the service's
  --require-evidence   have values without a place come as null
  --beside-pipeline    ask a pipeline for the same fields too, and print what that costs
  --min SHARE          exit with 1 if a precision or a recall in all is below this, such as 0.95
  --json               print one JSON object; npm run --silent prints nothing else
  --make-set FOLDER    only write a set of documents and its expected.json into a new folder
  --texts              say how well texts of all formats are read, without OCR: words, their order, tables.
                       With --make-set only write those files; with a FOLDER, say so of what another reader
                       made of them, in report.pdf.md beside report.pdf and so on
  --help               show this

The folder has documents, and expected.json with what is true of them:

  {
    "schema": {"type": "object", "properties": {"number": {"type": "string"}, "lines": {"type": "array", …}}},
    "documents": [{
      "file": "invoice.pdf",
      "values": {"number": "INV-2041", "lines": [{"text": "Brass hinge", "total": 189.6}]},
      "evidence": {"/number": {"page": 1, "box": [252, 166, 321, 178]}, "/lines/0": {"page": 1}}
    }]
  }

A document may have a schema of its own. Evidence is optional, as are boxes: left, top, right and bottom of the
page as it is shown, in per mille. It is by JSON pointers into the values. An instruction beside the schema goes
with each document.

Precision is the share of what came that is right, recall the share of what there is that came right. A value
is right if it means the same, whatever its case and spacing; a place if its page is right and half of the
smaller box lies in the other. Documents are uploaded, extracted and deleted again; jobs stay, as all do.
`;

/** What the command was called with. */
export interface EvaluateOptions {
  folder: string;
  model?: string;
  requireEvidence: boolean;
  besidePipeline: boolean;
  min?: number;
  json: boolean;
  url?: string;
  data: string;
}

const writeSet = '../extract-set/write-set.ts';

const scoreTexts = (...args: string[]) => ({ script: '../text-set/score-texts.ts', args });

/** Reads the command line. Throws CommandError. */
export function readOptions(
  args: string[],
): { help: true } | { script: string; args: string[] } | { options: EvaluateOptions } {
  const { values, positionals } = parse(args);
  if (values.help) return { help: true };
  const makeSet = values['make-set'];
  if (makeSet !== undefined) {
    if (positionals.length > 0) throw new CommandError('--make-set names the folder by itself.');
    return values.texts ? scoreTexts('write', makeSet) : { script: writeSet, args: [makeSet] };
  }
  const [folder, ...more] = positionals;
  if (values.texts) return folder === undefined ? scoreTexts() : scoreTexts('read', folder);
  if (folder === undefined || more.length > 0) {
    throw new CommandError('Give one folder with documents and expected.json; --help says more.');
  }
  return {
    options: {
      ...{ folder, json: values.json, data: values.data },
      requireEvidence: values['require-evidence'],
      besidePipeline: values['beside-pipeline'],
      ...(values.model !== undefined && { model: values.model }),
      ...(values.url !== undefined && { url: values.url }),
      ...(values.min !== undefined && { min: shareOf(values.min) }),
    },
  };
}

/** The service that the options name, with its key. Throws CommandError if there is none. */
export function serviceOf({ url, data }: EvaluateOptions, key: string | undefined): Service {
  reachDirectly();
  if (url !== undefined) {
    if (!URL.canParse(url)) throw new CommandError(`--url takes an address, not ${url}.`);
    if (!key) throw new CommandError("With --url the service's key is to be in QUIRE_KEY.");
    return { url: url.replace(/\/+$/, ''), key };
  }
  const stage = readStageFile(data);
  if (!stage) {
    throw new CommandError(
      `No local stage has run in ${data}: start it with npm start, or name a service with --url.`,
    );
  }
  return { url: stage.base_url, key: key ?? stage.api_key };
}

function shareOf(text: string): number {
  const share = Number(text);
  if (text.trim() && share >= 0 && share <= 1) return share;
  throw new CommandError(`--min takes a share from 0 to 1, not ${text}.`);
}

function parse(args: string[]) {
  return parseOptions(
    {
      args,
      allowPositionals: true,
      options: {
        url: { type: 'string' },
        data: { type: 'string', default: '.local' },
        model: { type: 'string' },
        'require-evidence': { type: 'boolean', default: false },
        'beside-pipeline': { type: 'boolean', default: false },
        min: { type: 'string' },
        json: { type: 'boolean', default: false },
        'make-set': { type: 'string' },
        texts: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    },
    'npm run evaluate -- --help lists the options',
  );
}
