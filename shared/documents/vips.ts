import Vips from 'wasm-vips';

let loading: Promise<typeof Vips> | undefined;

/** What a document may be; every other loader of libvips stays shut to files from outside. */
const loaders = ['Jpeg', 'Png', 'Tiff', 'Webp', 'Heif'];

/** libvips, loaded once a thread; its own threads don't keep the process alive. */
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

/** A damaged file would fill the log with a line for each of its rows; what is wrong is thrown anyway. */
function silence(module: unknown): void {
  (module as { ENV: Record<string, string> }).ENV['VIPS_WARNING'] = 'off';
}

/** What libvips threw, which is no `Error`: a C++ exception with its class and its message. */
export function vipsError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  const { message } = thrown as { message: [string, string] };
  return new Error(message.join(': ').trim());
}
