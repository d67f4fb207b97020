import { offerCopies } from './copies.ts'
import { type Announced, browserWallet, connectedWallet, discoverWallets, type Wallet } from './sign/wallet.ts'
import { type Call, type Caller, curlOf, send } from './start/call.ts'
import { changeGig, type Job, type Role, roles } from './start/job.ts'
import { newKey, practiceWallet } from './start/practice-wallet.ts'
import { signIn } from './start/sign-in.ts'
import { type Means, steps } from './start/steps.ts'
import { forgetJob, storedJob, storeJob } from './start/stored-job.ts'

const page = document.querySelector<HTMLElement>('#start')
if (page) begin(page)

/** The whole main job by mouse. The buttons come from the server; here they work. */
function begin(page: HTMLElement): void {
  const choice = page.querySelector<HTMLSelectElement>('select[name=chain]')!
  const gig = page.querySelector<HTMLInputElement>('input[name=gig]')!
  const job = storedJob(choice.value)
  const wallets = page.querySelector<HTMLElement>('#wallets')!
  choice.value = job.chain
  choice.addEventListener('change', () => {
    job.chain = choice.value
    storeJob(job)
  })
  gig.value = new URLSearchParams(location.search).get('gig') ?? job.gigId ?? ''
  join(job, gig.value)
  gig.addEventListener('change', () => {
    join(job, gig.value)
    forgetAnswers(page, job)
    show(page, job)
  })
  page.querySelector('#practice')?.addEventListener('click', () => {
    for (const role of roles) if (!job.players.has(role)) job.players.set(role, { wallet: practiceWallet(newKey()) })
    show(page, job)
  })
  page.querySelector('#restart')!.addEventListener('click', () => {
    forgetJob()
    location.assign(location.pathname)
  })
  discoverWallets(found => {
    wallets.querySelector('.chips')!.append(useButton(page, job, found))
    void reconnect(job, found)
  })
  for (const form of page.querySelectorAll<HTMLFormElement>('form[data-step]')) {
    form.addEventListener('submit', event => {
      event.preventDefault()
      void play(page, form, job)
    })
  }
  show(page, job)
}

/** Goes on with a gig of the board. @param text its number, or an address that ends with it */
function join(job: Job, text: string): void {
  const gigId = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(text)?.[0].toLowerCase()
  if (gigId !== job.gigId) changeGig(job, gigId)
}

/** A button that lets a wallet of the browser have the chosen part, as the agent that it has already, if any. */
function useButton(page: HTMLElement, job: Job, found: Announced): HTMLButtonElement {
  const wallets = page.querySelector<HTMLElement>('#wallets')!
  const button = document.createElement('button')
  Object.assign(button, { type: 'button', className: 'button quiet', textContent: `Use ${found.info.name}` })
  const choose = async () => {
    const player = { wallet: await browserWallet(found) }
    const isKnown = await signIn(player, call => send(call, false))
    job.players.set(page.querySelector<HTMLSelectElement>('select[name=role]')!.value as Role, player)
    show(page, job)
    say(wallets, isKnown ? 'Signed in as the agent of this wallet.' : 'This wallet has no agent yet: register one below.')
  }
  button.addEventListener('click', () => void choose().catch((error: unknown) => say(wallets, messageOf(error), true)))
  return button
}

/** After a reload a wallet of the browser signs again, if it still trusts this page. */
async function reconnect(job: Job, found: Announced): Promise<void> {
  const lost = [...job.players.values()].filter(({ wallet }) => wallet.kind === 'browser')
  if (lost.length === 0) return
  const wallet: Wallet | undefined = await connectedWallet(found).catch(() => undefined)
  for (const player of lost) if (player.wallet.address === wallet?.address) player.wallet = wallet
}

/** Shows who plays and which steps are done, and stores it. */
function show(page: HTMLElement, job: Job): void {
  storeJob(job)
  page.querySelector<HTMLElement>('#restart')!.hidden = job.players.size === 0
  for (const role of roles) {
    const player = job.players.get(role)
    const cell = page.querySelector(`[data-role="${role}"]`)
    if (cell && player) cell.textContent = `${player.handle ?? ''} ${player.wallet.address} (${player.wallet.kind} wallet)`.trim()
  }
  const forms = [...page.querySelectorAll<HTMLFormElement>('form[data-step]')]
  const next = forms.findIndex(({ dataset }) => job.done[dataset.step!] === undefined)
  for (const [i, form] of forms.entries()) {
    const saying = job.done[form.dataset.step!]
    form.classList.toggle('done', saying !== undefined)
    const item = form.closest('li')!
    if (i === next && job.players.size > 0) item.setAttribute('aria-current', 'step')
    else item.removeAttribute('aria-current')
    if (saying === undefined) continue
    say(form, saying)
    finish(form, job)
  }
}

async function play(page: HTMLElement, form: HTMLFormElement, job: Job): Promise<void> {
  const name = form.dataset.step!
  const button = form.querySelector<HTMLButtonElement>('button[type=submit]')!
  button.disabled = true
  form.querySelector('.calls')!.replaceChildren()
  say(form, 'Under way…')
  try {
    const saying = await steps[name]!(job, meansOf(page, form))
    // a step may have put another list of done ones in its place
    job.done[name] = saying
    if (name === 'post') follow(page, job)
  } catch (error) {
    say(form, messageOf(error), true)
  } finally {
    button.disabled = false
    show(page, job)
  }
}

/** The answers of steps of another gig. */
function forgetAnswers(page: HTMLElement, job: Job): void {
  for (const form of page.querySelectorAll<HTMLFormElement>('form[data-step]')) {
    if (job.done[form.dataset.step!] !== undefined) continue
    say(form, '')
    const link = form.querySelector<HTMLAnchorElement>('a.made')
    if (link) link.hidden = true
  }
}

/** A gig that was posted here is the one that a reload goes on with, not that of the address. */
function follow(page: HTMLElement, job: Job): void {
  page.querySelector<HTMLInputElement>('input[name=gig]')!.value = job.gigId ?? ''
  history.replaceState(null, '', location.pathname)
  forgetAnswers(page, job)
}

function meansOf(page: HTMLElement, form: HTMLFormElement): Means {
  const isSigned = page.dataset.mode === 'signed'
  return {
    make: call => {
      form.querySelector('.calls')!.append(shown(page, call, isSigned))
      return send(call, isSigned)
    },
    read: (path: string, caller?: Caller) => send({ method: 'GET', path, ...(caller ? { caller } : {}) }, isSigned),
    values: new FormData(form),
    isPractice: page.dataset.practice === 'yes',
    isSigned,
    offer: agents => {
      const field = form.querySelector<HTMLElement>('.offered')!
      field.hidden = false
      field.querySelector('select')!.replaceChildren(...agents.map(({ id, handle }) => new Option(handle, id)))
    },
  }
}

/** A call as lines for a terminal, to copy. */
function shown(page: HTMLElement, call: Call, isSigned: boolean): DocumentFragment {
  const box = document.importNode(page.querySelector<HTMLTemplateElement>('#call')!.content, true)
  const text = curlOf(call, isSigned)
  box.querySelector('code')!.textContent = text
  box.querySelector<HTMLButtonElement>('button')!.dataset.copy = text
  offerCopies(box)
  return box
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function say(within: Element, text: string, isFault = false): void {
  const line = within.querySelector('.answer')
  if (!line) return
  line.textContent = text
  line.classList.toggle('fault-text', isFault)
}

/** Links to what a step has made. */
function finish(form: HTMLFormElement, job: Job): void {
  const link = form.querySelector<HTMLAnchorElement>('a.made')
  if (!link) return
  link.href = job.receiptId !== undefined && form.dataset.step === 'receipt' ? `/receipts/${job.receiptId}` : `/gigs/${job.gigId}`
  link.hidden = false
}
