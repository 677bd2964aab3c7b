import binary from '@sparticuz/chromium';
import { chromium } from 'playwright-core';

/** Starts the browser that the test files of a run share. Its binary comes out of the npm package. */
export default async function setup() {
  const server = await chromium.launchServer({
    executablePath: await binary.executablePath(),
    args: ['--no-sandbox', '--no-zygote', '--disable-gpu'],
  });
  process.env['QUIRE_TEST_BROWSER'] = server.wsEndpoint();
  return () => server.close();
}
