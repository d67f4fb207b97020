import { findChromium } from '@carapace/testing'
import { type Browser, chromium } from 'playwright-core'

/** A browser without a window that calls nobody by itself. */
export const openBrowser = async (): Promise<Browser> =>
  chromium.launch({
    executablePath: await findChromium(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
