import { signal } from '@preact/signals';

/** The settings that the next message is sent with. */
export interface Settings {
  /** Empty for the default one. */
  model: string;
  system: string;
  /** Undefined for the service's default. */
  temperature: number | undefined;
  web_search: boolean;
  deep_research: boolean;
  connectors: boolean;
}

export const settings = signal<Settings>({
  model: '',
  system: '',
  temperature: undefined,
  web_search: false,
  deep_research: false,
  connectors: false,
});

/** Changes some of the settings. */
export function change(some: Partial<Settings>): void {
  settings.value = { ...settings.value, ...some };
}

/** The models that the key may use. */
export const models = signal<string[]>([]);
