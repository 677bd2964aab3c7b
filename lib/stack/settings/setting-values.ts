import * as v from 'valibot';

// What a setting may be. A message goes on from “it”: JSON in `cdk.json` and text on the command line are both taken.

const countWanted = (min: number, max: number) => `should be a whole number from ${min} to ${max}`;
export const count = (min: number, max: number, wanted = countWanted(min, max)) =>
  v.pipe(
    v.union([v.number(), v.pipe(v.string(), v.digits(), v.toNumber())], wanted),
    v.integer(wanted),
    v.minValue(min, wanted),
    v.maxValue(max, wanted),
  );
/** A count, or `none`. */
export const countOrNone = (min: number, max: number) => {
  const wanted = `${countWanted(min, max)}, or none`;
  return v.pipe(
    v.union([v.literal('none'), count(min, max, wanted)], wanted),
    v.transform((given) => (given === 'none' ? undefined : given)),
  );
};
export const flag = v.union(
  [
    v.boolean(),
    v.pipe(
      v.picklist(['true', 'false']),
      v.transform((text) => text === 'true'),
    ),
  ],
  'should be true or false',
);
export function usd(most: number) {
  const wanted = `should be US dollars from 0 to ${most}`;
  return v.pipe(
    v.union([v.number(), v.pipe(v.string(), v.decimal(wanted), v.toNumber())], wanted),
    v.minValue(0, wanted),
    v.maxValue(most, wanted),
  );
}
const modelsWanted = 'should be names of models, separated by spaces, or a list of them';
export const ownModels = v.union(
  [
    v.array(v.string()),
    v.pipe(
      v.string(),
      v.transform((text) => text.split(/\s+/).filter(Boolean)),
    ),
  ],
  modelsWanted,
);
const originsWanted =
  'should be origins such as https://app.example.com, separated by commas, or *';
const isOrigin = (text: string) =>
  text === '*' || (/^https?:[^*]+$/.test(text) && URL.parse(text)?.origin === text);
const listOf = (given: string | string[]) =>
  [given].flat().flatMap((text) => text.split(',').flatMap((each) => each.trim() || []));
export const origins = v.pipe(
  v.union([v.string(), v.array(v.string())], originsWanted),
  v.check((given) => listOf(given).every(isOrigin), originsWanted),
  v.transform(listOf),
);
export const alarms = v.picklist(['essential', 'all', 'none'], 'should be essential, all or none');
/** A text of a form. */
const formed = (form: RegExp, wanted: string) => v.pipe(v.string(wanted), v.regex(form, wanted));

const urlWanted = 'should be a URL that begins with http:// or https://';
export const httpUrl = v.pipe(formed(/^https?:\/\//i, urlWanted), v.url(urlWanted));
export const domainName = formed(
  /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/,
  'should be a name such as api.example.com',
);
const tagsWanted = 'should be tags such as team=search, separated by commas';
/** What all services of AWS take in a tag. */
const tagText = /^(?!aws:)[\w .:/=+@-]+$/;
const tagsOf = (given: string | Record<string, string>): Record<string, string> =>
  typeof given === 'string'
    ? Object.fromEntries(given.split(',').map((each) => each.trim().split(/=(.*)/s)))
    : given;
const areTags = (given: string | Record<string, string>) =>
  Object.entries(tagsOf(given)).every((tag) => tag.every((text) => tagText.test(text ?? '')));
export const tags = v.pipe(
  v.union([v.string(), v.record(v.string(), v.string())], tagsWanted),
  v.check(areTags, tagsWanted),
  v.transform(tagsOf),
);
/** The ARN of a resource of a service, such as `key/…` of KMS. `resource` is the part before the resource's own name. */
export const arn = (service: string, resource: string, what: string) =>
  formed(
    new RegExp(`^arn:aws[\\w-]*:${service}:[\\w-]*:\\d{12}:${resource}[\\w-]+$`),
    `should be the ARN of ${what}`,
  );
export const stageName = formed(
  /^[a-zA-Z0-9-]{1,64}$/,
  'should be 1 to 64 letters, digits or hyphens',
);
