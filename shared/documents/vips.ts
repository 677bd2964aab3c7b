import Vips from 'wasm-vips';
import { lossOf } from './loss.ts';
import {
  limitGrowth,
  MemoryLimit,
  type MemorySize,
  pageBytes,
  WebAssembly,
} from './memory-limit.ts';

let loading: Promise<typeof Vips> | undefined;
/** The memory that libvips may take by default: all that its module can. */
const maxMb = 2048;

/**
 * The formats that documents may have. Other loaders are blocked, as files come from strangers.
 * @see https://www.libvips.org/API/8.19/developer-checklist.html
 */
const loaders = ['Jpeg', 'Png', 'Tiff', 'Webp', 'Heif', 'Nsgif'];

/** Loads libvips, once in a process, with memory up to a limit. Its own threads don't keep the process alive. */
export function loadVips(limit = new MemoryLimit(maxMb)): Promise<typeof Vips> {
  loading ??= load(limit);
  return loading;
}

async function load(limit: MemoryLimit): Promise<typeof Vips> {
  const vips = await withMemory(limit, () =>
    Vips({ dynamicLibraries: ['vips-heif.wasm'], preRun: silence, printErr: () => {} }),
  );
  const { FS } = vips as unknown as FileSystem;
  FS.streams[2] = FS.open('/dev/null', 'w');
  vips.Cache.max(0);
  // Each further thread of libvips costs a tenth of a second to begin with, and a function has little more than one core.
  vips.concurrency(1);
  vips.operationBlock('VipsForeignLoad', true);
  for (const loader of loaders) vips.operationBlock(`VipsForeignLoad${loader}`, false);
  return vips;
}

/** Gives a module a memory with a maximum: wasm-vips takes none from outside, and its threads share it. */
async function withMemory<Module>(
  limit: MemoryLimit,
  load: () => Promise<Module>,
): Promise<Module> {
  const { Memory } = WebAssembly;
  WebAssembly.Memory = function limited(size: MemorySize) {
    const maximum = Math.min(size.maximum, limit.maxBytes / pageBytes);
    const memory = new Memory({ ...size, maximum });
    limitGrowth(memory, limit);
    return memory;
  } as unknown as typeof Memory;
  try {
    return await load();
  } finally {
    WebAssembly.Memory = Memory;
  }
}

/**
 * The part of Emscripten's file system by which libvips writes to stderr. Nothing is lost: errors are thrown as well.
 * @see https://emscripten.org/docs/api_reference/Filesystem-API.html
 */
interface FileSystem {
  FS: { streams: unknown[]; open(path: string, flags: string): unknown };
}

/** Turns warnings off: a damaged file would write a line for each row. */
function silence(module: unknown): void {
  (module as { ENV: Record<string, string> }).ENV['VIPS_WARNING'] = 'off';
}

/** Makes an `Error` of libvips' C++ exception. Throws what is no fault of the picture: libvips aborted, or lacks memory. */
export function vipsError(thrown: unknown): Error {
  const { message } = (thrown ?? {}) as { message?: unknown };
  if (!Array.isArray(message)) {
    if (lossOf(thrown)) throw thrown;
    return thrown as Error;
  }
  const words = message.join(': ').trim();
  // One of its own threads asked; only the maximum bounds its memory.
  if (/out of memory/i.test(words)) throw new RangeError(words);
  return new Error(words);
}
