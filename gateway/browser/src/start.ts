import { bytesOf, hexOf } from './sign/bytes.ts'
import { browserWallet, discoverWallets } from './sign/wallet.ts'
import { curlOf, send } from './start/call.ts'
import { type Job, type Role, roles, steps } from './start/job.ts'
import { newKey, practiceWallet } from './start/practice-wallet.ts'

const page = document.querySelector<HTMLElement>('#start')
if (page) begin(page)

/** The whole main job by mouse. The buttons come from the server; here they work. */
function begin(page: HTMLElement): void {
  const job: Job = { chain: 'BASE_SEPOLIA', isSigned: page.dataset.mode === 'signed', players: new Map(), budget: 0, panel: [] }
  const choice = page.querySelector<HTMLSelectElement>('select[name=chain]')!
  choice.addEventListener('change', () => {
    job.chain = choice.value
  })
  page.querySelector('#practice')?.addEventListener('click', () => {
    for (const role of roles) if (!job.players.has(role)) assign(job, role, practiceWallet(storedKey(role)))
    showPlayers(page, job)
  })
  discoverWallets(found => {
    const button = document.createElement('button')
    Object.assign(button, { type: 'button', className: 'button quiet', textContent: `Use ${found.info.name} as poster` })
    button.addEventListener('click', () => {
      void browserWallet(found).then(
        wallet => {
          assign(job, 'poster', wallet)
          showPlayers(page, job)
        },
        (error: Error) => say(page.querySelector('#wallets')!, error.message, true),
      )
    })
    page.querySelector('#wallets')!.append(button)
  })
  for (const form of page.querySelectorAll<HTMLFormElement>('form[data-step]')) {
    form.addEventListener('submit', event => {
      event.preventDefault()
      void play(form, job)
    })
  }
}

const assign = (job: Job, role: Role, wallet: Parameters<Job['players']['set']>[1]['wallet']): void => void job.players.set(role, { wallet })

/** A reload finds the same practice wallets: they live as long as the tab. */
function storedKey(role: Role): Uint8Array {
  const name = `carapace-practice-${role}`
  const stored = sessionStorage.getItem(name)
  if (stored !== null) return bytesOf(stored)
  const key = newKey()
  sessionStorage.setItem(name, hexOf(key))
  return key
}

function showPlayers(page: HTMLElement, job: Job): void {
  for (const role of roles) {
    const player = job.players.get(role)
    const cell = page.querySelector(`[data-role="${role}"]`)
    if (cell && player) cell.textContent = `${player.handle ?? ''} ${player.wallet.address} (${player.wallet.kind} wallet)`.trim()
  }
}

async function play(form: HTMLFormElement, job: Job): Promise<void> {
  const step = steps[form.dataset.step!]!
  const button = form.querySelector('button')!
  const calls = form.querySelector<HTMLElement>('.calls')!
  button.disabled = true
  calls.replaceChildren()
  say(form, 'Under way…')
  try {
    const saying = await step.run(
      job,
      async call => {
        const entry = document.createElement('pre')
        entry.tabIndex = 0
        entry.textContent = curlOf(call)
        calls.append(entry)
        return send(call, job.isSigned)
      },
      new FormData(form),
    )
    say(form, saying)
    form.classList.add('done')
    finish(form, job)
  } catch (error) {
    say(form, error instanceof Error ? error.message : String(error), true)
  } finally {
    button.disabled = false
    showPlayers(form.closest<HTMLElement>('#start')!, job)
  }
}

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
