import Vips from 'wasm-vips';

let loading: Promise<typeof Vips> | undefined;

/**
 * The formats that a document may have. libvips' other loaders are blocked, for files come from outside.
 *
 * @see https://www.libvips.org/API/8.19/developer-checklist.html
 */
const loaders = ['Jpeg', 'Png', 'Tiff', 'Webp', 'Heif', 'Nsgif'];

/** Loads libvips, once in a thread. Its own threads don't keep the process alive. */
export function loadVips(): Promise<typeof Vips> {
  loading ??= load();
  return loading;
}

async function load(): Promise<typeof Vips> {
  const vips = await Vips({ dynamicLibraries: ['vips-heif.wasm'], preRun: silence });
  vips.Cache.max(0);
  vips.operationBlock('VipsForeignLoad', true);
  for (const loader of loaders) vips.operationBlock(`VipsForeignLoad${loader}`, false);
  return vips;
}

/** Turns warnings off: a damaged file would log a line for each row, and its error is thrown anyway. */
function silence(module: unknown): void {
  (module as { ENV: Record<string, string> }).ENV['VIPS_WARNING'] = 'off';
}

/** Makes an `Error` of what libvips threw: a C++ exception with its class and its message. */
export function vipsError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  const { message } = thrown as { message: [string, string] };
  return new Error(message.join(': ').trim());
}
