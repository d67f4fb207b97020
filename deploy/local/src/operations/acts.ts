import { randomBytes } from 'node:crypto'
import { type Answer, daySeconds, httpCall, type Player, type System, until } from '@carapace/testing'
import { type Contract, Wallet } from 'ethers'
import { escrowOf, gigOf, headersOf, openPanel } from '../testing/job.ts'
import type { ActName } from './goals.ts'
import { type CountedAct, type OperationCounter, sumOf } from './operation-counter.ts'

const chain = 'BASE_SEPOLIA'
const budget = 40
const depositMicro = 5_000_000
/** An act has ended when it sent nothing for so long: longer than its events wait for those of the next one. */
const quietMs = 1_200
const endSeconds = 30

interface ActOptions {
  /** As `OperationCounter.begin` has it. */
  mark?: string
  /** Whether what the act leads to is there; it is read when the act is quiet. */
  isDone?: () => Promise<boolean>
}
/** The work of one act; its requests carry these headers. */
type Work<T> = (headers: Record<string, string>) => Promise<T>

/** Plays every act once but those of a later day, one after the other, each until nothing of it runs. */
export async function playActs(system: System, poster: Player, counter: OperationCounter): Promise<Record<ActName, CountedAct>> {
  const { acts, play } = stage(counter)
  const worker = await register(system, play)
  const { depositAddress } = await play('fund', posted(system, `/api/agents/${worker.id}/treasury/fund`, {}, worker))
  await deposit(system, play, counter, { from: poster, to: worker, address: depositAddress })
  await play('firstHeartbeat', posted(system, `/api/agents/${worker.id}/heartbeat`, {}, worker))
  await play('heartbeat', posted(system, `/api/agents/${worker.id}/heartbeat`, {}, worker))

  const draft = { title: 'Audit a vault', description: 'Read it, report.', skillsRequired: ['solidity'], budget, chain, deadlineHours: 48 }
  const { id: gigId } = await play('post', posted(system, '/api/gigs', draft, poster))
  await play('apply', posted(system, `/api/gigs/${gigId}/apply`, { proposal: 'I know vaults.' }, worker))
  await play('accept', posted(system, `/api/gigs/${gigId}/accept-applicant`, { applicantAgentId: worker.id }, poster))
  const escrowIs = (status: string) => async () => (await escrowOf(system, gigId)).status === status
  await play('lock', posted(system, '/api/escrow/create', { gigId, amount: budget }, poster), { isDone: escrowIs('locked') })

  const panels = async () => (await system.get(`/api/swarm/validations?gigId=${gigId}`)).validations
  const delivery = { deliverableUrl: 'https://example.org/report', deliverableNote: 'done' }
  await play('submit', posted(system, `/api/gigs/${gigId}/submit-deliverable`, delivery, worker), {
    isDone: async () => (await panels()).length === 1,
  })
  const { id: validationId, panel } = await openPanel(system, { gigId, chain, poster, worker, budget, before: { poster: 0n, worker: 0n } })
  const voting = async (voterId: string): Promise<Work<Answer['body']>> => {
    const headers = await headersOf(system, voterId)
    return own => system.post('/api/swarm/vote', { validationId, voterId, vote: 'approve' }, { ...headers, ...own })
  }
  const isRecorded = async () => (await system.get(`/api/swarm/validations/${validationId}`)).onChain.status === 'confirmed'
  await play('vote', await voting(panel[0]!), { isDone: isRecorded })
  const isPaid = async () =>
    (await gigOf(system, gigId)).status === 'completed' &&
    (await escrowIs('released')()) &&
    (await system.call('GET', `/api/trust-receipts/gigs/${gigId}`)).status === 200
  await play('decide', await voting(panel[1]!), { isDone: isPaid })
  return acts as Record<ActName, CountedAct>
}

/** Of an agent that is alive: a beat on each of some days, a little before the day has passed since the one that was announced, and the first one after. */
export async function playDays(
  system: System,
  player: Player,
  counter: OperationCounter,
  days: number,
): Promise<Partial<Record<ActName, CountedAct>>[]> {
  const beat = posted(system, `/api/agents/${player.id}/heartbeat`, {}, player)
  await system.advance(daySeconds)
  await beat({})
  const played: Partial<Record<ActName, CountedAct>>[] = []
  for (let day = 0; day < days; day++) {
    const { acts, play } = stage(counter)
    await system.advance(daySeconds - minuteSeconds)
    await play('heartbeat', beat)
    await system.advance(2 * minuteSeconds)
    await play('dailyHeartbeat', beat)
    played.push(acts)
  }
  return played
}
const minuteSeconds = 60

const posted =
  (system: System, path: string, body: object, by?: Player): Work<Answer['body']> =>
  headers =>
    system.post(path, body, { ...by?.headers, ...headers })

type Play = <T>(name: ActName, work: Work<T>, options?: ActOptions) => Promise<T>

async function register(system: System, play: Play): Promise<Player> {
  const wallet = new Wallet(`0x${randomBytes(32).toString('hex')}`)
  const handle = `worker-${randomBytes(5).toString('hex')}`
  const body = { handle, walletAddress: wallet.address, skills: ['solidity'], chain }
  let id = ''
  await play(
    'register',
    async headers => {
      id = (await system.post('/api/register-agent', body, headers)).agent.id
    },
    { isDone: async () => (await system.get(`/api/agents/${id}`)).erc8004Registered === true },
  )
  return { id, handle, wallet, headers: { 'x-agent-id': id, 'x-wallet-address': wallet.address } }
}

/** A transfer by somebody else's wallet: no request of the platform begins it. */
async function deposit(system: System, play: Play, counter: OperationCounter, { from, to, address }: Deposit): Promise<void> {
  const { usdc, provider } = system.networks[chain]
  const token = usdc.connect(from.wallet.connect(provider)) as Contract
  const reading = { ...to.headers, traceparent: counter.begin().traceparent }
  const balance = async () => (await httpCall(system.url, 'GET', `/api/agents/${to.id}/treasury/balance`, { headers: reading })).body.balance
  const transfer = async () => void (await (await token.getFunction('transfer')(address, depositMicro)).wait())
  await play('deposit', transfer, { mark: address.toLowerCase(), isDone: async () => (await balance()) === depositMicro })
}
interface Deposit {
  from: Player
  to: Player
  address: string
}

/** Where acts are played and counted. */
function stage(counter: OperationCounter): { acts: Partial<Record<ActName, CountedAct>>; play: Play } {
  const acts: Partial<Record<ActName, CountedAct>> = {}
  return {
    acts,
    play: async (name, work, { mark, isDone = async () => true } = {}) => {
      const act = counter.begin(mark)
      acts[name] = act
      const result = await work({ traceparent: act.traceparent })
      await until(`${name} has ended`, async () => (await quiet(act)) && isDone(), endSeconds)
      return result
    },
  }
}

/** Whether the act sends nothing for a while. */
async function quiet(act: CountedAct): Promise<boolean> {
  const before = sumOf(act.counts())
  await new Promise(resolve => setTimeout(resolve, quietMs))
  return sumOf(act.counts()) === before
}
