import { hexOf } from './sign/bytes.ts'
import { signatureOf } from './sign/signature.ts'
import { type Announced, browserWallet, discoverWallets, type Wallet } from './sign/wallet.ts'
import { pageOf } from './trusted.ts'

const wallets: Announced[] = []
discoverWallets(found => {
  wallets.push(found)
  offer(found)
})
// the page that answers an act may have a form of its own
document.addEventListener('submit', event => {
  const form = event.target as HTMLFormElement
  if (!form.dataset.signer) return
  event.preventDefault()
  guarded(() => once(form, () => act(form)))
})

for (const place of document.querySelectorAll<HTMLElement>('[data-load]')) void load(place)

/** Puts the part of a slow page of operators here, once it has it; until then, and if it fails, the link to that page stays. */
async function load(place: HTMLElement): Promise<void> {
  place.setAttribute('aria-busy', 'true')
  const response = await fetch(place.dataset.load!, { headers: { accept: 'text/html' } }).catch(() => undefined)
  const id = place.closest('section')!.id
  const part = response?.ok ? pageOf(await response.text()).getElementById(id) : null
  place.removeAttribute('aria-busy')
  // a person who is on the link stays there
  if (part && !place.contains(document.activeElement)) place.closest('section')!.replaceWith(document.importNode(part, true))
}

/** A button of the sign-in for each wallet of this browser: first it gives its address, then it signs. */
function offer(found: Announced): void {
  const place = document.querySelector('.wallets')
  if (!place) return
  const sign = document.querySelector<HTMLFormElement>('#sign')
  const button = document.createElement('button')
  Object.assign(button, { type: 'button', className: 'button', textContent: `${sign ? 'Sign with' : 'Use'} ${found.info.name}` })
  button.addEventListener('click', () => guarded(() => (sign ? signIn(sign, found) : choose(found))))
  place.append(button)
}

async function choose(found: Announced): Promise<void> {
  const { address } = await browserWallet(found)
  location.href = `/operator/sign-in?address=${encodeURIComponent(address)}`
}

async function signIn(form: HTMLFormElement, found: Announced): Promise<void> {
  const wallet = await browserWallet(found)
  needAddress(wallet, form.dataset.wallet!)
  const message = form.querySelector('textarea')!.value
  const signature = await wallet.sign(new TextEncoder().encode(message))
  form.querySelector<HTMLInputElement>('input[name=signature]')!.value = `0x${hexOf(signature)}`
  form.submit()
}

/** While an act runs its button does nothing. */
async function once(form: HTMLFormElement, work: () => Promise<void>): Promise<void> {
  const button = form.querySelector('button')!
  button.disabled = true
  await work().finally(() => {
    button.disabled = false
  })
}

/** Sends a form as it would be sent, with a signature of the operator over it, and shows the page that answers. */
async function act(form: HTMLFormElement): Promise<void> {
  const [found] = wallets
  if (!found) throw new Error('No wallet is in this browser, and an act has to be signed')
  const wallet = await browserWallet(found)
  needAddress(wallet, form.dataset.signer!)
  const body = new URLSearchParams([...new FormData(form)] as [string, string][]).toString()
  const { pathname } = new URL(form.action)
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html', ...(await signatureOf('POST', pathname, body, wallet)) }
  const response = await fetch(pathname, { method: 'POST', body, headers })
  if (!response.headers.get('content-type')?.startsWith('text/html')) throw new Error(((await response.json()) as { message: string }).message)
  const main = document.importNode(pageOf(await response.text()).querySelector<HTMLElement>('main')!, true)
  document.querySelector('main')!.replaceWith(main)
  main.focus()
  scrollTo(0, 0)
}

function needAddress({ address }: Wallet, wanted: string): void {
  if (address.toLowerCase() !== wanted.toLowerCase()) throw new Error(`The wallet of this browser is ${address}, and ${wanted} has to sign`)
}

function guarded(work: () => Promise<void>): void {
  say('')
  void work().catch((error: unknown) => say(error instanceof Error ? error.message : String(error)))
}

function say(text: string): void {
  const line = document.querySelector('#said')
  if (!line) return
  line.textContent = text
  line.classList.toggle('fault-text', text !== '')
}
