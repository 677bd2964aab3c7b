import type { ModelList } from '../../../shared/chat/models.ts';
import type { LimitsReport } from '../../../shared/keys/limits-report.ts';
import { get } from '../api/call.ts';
import { useLive } from '../api/live.ts';
import { Failed } from '../parts/failed.tsx';
import { usd } from '../parts/format.ts';
import { Select } from '../parts/select.tsx';
import { change, models, settings } from './settings.ts';

/** A small screen shows the settings only once they are opened. */
const isWide = matchMedia('(min-width: 48rem)').matches;

/** The model, what it is told beforehand, and where it looks for its answer. */
export function SettingsPanel() {
  const list = useLive('models', listModels, { isFinal: () => true });
  const limits = useLive('limits', (signal) => get<LimitsReport>('/user/limits', signal), {
    isFinal: () => true,
  });
  const { model, system, temperature } = settings.value;
  const search = limits.value?.web_search;

  return (
    <details class="settings" open={isWide}>
      <summary>Settings</summary>
      <Failed error={list.failure} retry={list.reload} />
      <Select
        label="Model"
        of={[['', 'default'], ...models.value]}
        chosen={model}
        choose={(chosen) => change({ model: chosen })}
      />
      <label>
        System prompt
        <textarea
          rows={3}
          value={system}
          onInput={({ currentTarget }) => change({ system: currentTarget.value })}
        />
      </label>
      <label>
        Temperature
        <input
          type="number"
          min="0"
          max="2"
          step="0.05"
          placeholder="0.15"
          value={temperature ?? ''}
          onInput={({ currentTarget }) => change({ temperature: numberIn(currentTarget) })}
        />
      </label>
      <fieldset>
        <legend>Sources</legend>
        <Switch
          name="web_search"
          text="Web search"
          note={search ? `${usd(search.usd_per_search)} a search` : notSetUp(limits.value)}
          isOff={search === null}
        />
        <Switch
          name="deep_research"
          text="Deep research"
          note={limits.value ? `at most ${usd(limits.value.research.max_usd)} a report` : ''}
        />
        <Switch name="connectors" text="Drive folders" note="those that the key may read" />
      </fieldset>
    </details>
  );
}

async function listModels(signal: AbortSignal): Promise<ModelList> {
  const list = await get<ModelList>('/v1/models', signal);
  models.value = list.data.map(({ id }) => id);
  return list;
}

const notSetUp = (limits: LimitsReport | undefined) => (limits ? 'not set up by the operator' : '');

function numberIn({ value }: HTMLInputElement): number | undefined {
  return value === '' ? undefined : Number(value);
}

interface SwitchProps {
  name: 'web_search' | 'deep_research' | 'connectors';
  text: string;
  note: string;
  isOff?: boolean;
}

function Switch({ name, text, note, isOff = false }: SwitchProps) {
  return (
    <label>
      <input
        type="checkbox"
        role="switch"
        disabled={isOff}
        checked={settings.value[name]}
        aria-checked={settings.value[name]}
        aria-describedby={`${name}-note`}
        onChange={({ currentTarget }) => change({ [name]: currentTarget.checked })}
      />
      {text} <small id={`${name}-note`}>{note}</small>
    </label>
  );
}
