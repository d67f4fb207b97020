import { findChromium } from '@carapace/testing'
import { getBytes, type Wallet } from 'ethers'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'

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

/** What a browser holds after it has followed an address, such as the sign-in link of operators. */
export async function stateAfter(browser: Browser, address: string): Promise<Awaited<ReturnType<BrowserContext['storageState']>>> {
  const context = await browser.newContext()
  await (await context.newPage()).goto(address)
  const state = await context.storageState()
  await context.close()
  return state
}

/** Gives the pages of a context a wallet (EIP-1193, announced by EIP-6963) whose owner agrees to everything. */
export async function holdWallet(context: BrowserContext, wallet: Pick<Wallet, 'address' | 'signMessage'>): Promise<void> {
  await context.exposeFunction('ownerSigns', (text: string) => wallet.signMessage(getBytes(text)))
  await context.addInitScript(`{
    const provider = {
      request: async ({ method, params }) => {
        if (method === 'eth_requestAccounts') sessionStorage.setItem('trusted', 'yes')
        if (method === 'eth_accounts' && sessionStorage.getItem('trusted') === null) return []
        if (method === 'eth_requestAccounts' || method === 'eth_accounts') return ['${wallet.address}']
        if (method === 'personal_sign') return window.ownerSigns(params[0])
        throw new Error('This wallet does not know ' + method)
      },
    }
    const info = { uuid: '2f4a1c1e-0000-4000-8000-000000000000', name: 'Test Wallet', icon: 'data:,', rdns: 'test.wallet' }
    addEventListener('eip6963:requestProvider', () =>
      dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) })))
  }`)
}
