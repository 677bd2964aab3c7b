import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { knowing, misspellingsIn } from '../../shared/http/misspellings.ts';
import { dictionary, orNull } from '../../shared/http/schema.ts';

const Schema = v.object({
  n: v.optional(v.number()),
  user: v.optional(v.string()),
  priority: v.optional(v.number()),
  drive: orNull(dictionary(v.object({ folder_id: orNull(v.string()) }))),
  files: v.optional(v.array(v.object({ content: v.string() }))),
  options: v.optional(v.looseObject({ verbose: v.boolean() })),
});

const meantBy = (value: unknown, schema: v.GenericSchema = Schema) =>
  misspellingsIn(schema, value).map(({ loc, msg }) => `${loc.join('.')} ${msg}`);

describe('a name', () => {
  it.each([
    ['piority', 'priority'],
    ['prioritys', 'priority'],
    ['prioroty', 'priority'],
    ['prioirty', 'priority'],
    ['Prioritty', 'priority'],
    ['usr', 'user'],
  ])('%s is taken for a misspelled %s', (name, meant) => {
    expect(meantBy({ [name]: 1 })).toEqual([`${name} Unknown name; did you mean ${meant}?`]);
  });

  it.each([['priority'], ['importance'], ['prior'], ['use_it'], ['m'], ['id'], ['__proto__']])(
    '%s is not',
    (name) => {
      expect(meantBy(JSON.parse(`{"${name}": 1}`))).toEqual([]);
    },
  );

  it('is looked for within objects and lists, and told by its place', () => {
    const value = { drive: { folder_ids: 'x' }, files: [{ content: 'a' }, { contnet: 'b' }] };

    expect(meantBy(value)).toEqual([
      'drive.folder_ids Unknown name; did you mean folder_id?',
      'files.1.contnet Unknown name; did you mean content?',
    ]);
  });

  it('is let pass in a loose object, unless its schema knows others', () => {
    const loose = v.looseObject({ temperature: v.number() });

    expect(meantBy({ options: { verbos: true } })).toEqual([]);
    expect(meantBy({ temperatur: 1 }, loose)).toEqual([]);
    expect(meantBy({ temperatur: 1, tool: [] }, knowing(loose, ['tools']))).toEqual([
      'temperatur Unknown name; did you mean temperature?',
      'tool Unknown name; did you mean tools?',
    ]);
  });

  it.each([[null], ['text'], [5], [[]], [{ drive: null, files: 'x' }]])(
    'is not looked for in %j',
    (value) => {
      expect(meantBy(value)).toEqual([]);
    },
  );

  it('takes a moment, however many there are', () => {
    const many = Object.fromEntries(Array.from({ length: 300_000 }, (_, n) => [`p${n}`, n]));

    expect(meantBy(many)).toEqual([]);
  });
});
