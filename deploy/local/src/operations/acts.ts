import { randomBytes } from 'node:crypto'
import { type Answer, httpCall, type Player, type System, until } from '@carapace/testing'
import { type Contract, Wallet } from 'ethers'
import { escrowOf, gigOf, headersOf, openPanel } from '../testing/job.ts'
import type { ActName } from './goals.ts'
import { type CountedAct, type OperationCounter, sumOf } from './operation-counter.ts'

const chain = 'BASE_SEPOLIA'
const budget = 40
const depositMicro = 5_000_000
/** An act has ended when it sent nothing for so long. */
const quietMs = 700
const endSeconds = 30

interface ActOptions {
  /** As `OperationCounter.begin` has it. */
  mark?: string
  /** Whether what the act leads to is there; it is read when the act is quiet. */
  isDone?: () => Promise<boolean>
}
/** The work of one act; its requests carry these headers. */
type Work<T> = (headers: Record<string, string>) => Promise<T>

/** Plays every act once, one after the other, each until nothing of it runs. */
export async function playActs(system: System, poster: Player, counter: OperationCounter): Promise<Record<ActName, CountedAct>> {
  const acts: Partial<Record<ActName, CountedAct>> = {}
  const play = async <T>(name: ActName, work: Work<T>, { mark, isDone = async () => true }: ActOptions = {}): Promise<T> => {
    const act = counter.begin(mark)
    acts[name] = act
    const result = await work({ traceparent: act.traceparent })
    await until(`${name} has ended`, async () => (await quiet(act)) && isDone(), endSeconds)
    return result
  }
  const post =
    (path: string, body: object, by?: Player): Work<Answer['body']> =>
    headers =>
      system.post(path, body, { ...by?.headers, ...headers })

  const worker = await register(system, play)
  const { depositAddress } = await play('fund', post(`/api/agents/${worker.id}/treasury/fund`, {}, worker))
  await deposit(system, play, counter, { from: poster, to: worker, address: depositAddress })
  await play('firstHeartbeat', post(`/api/agents/${worker.id}/heartbeat`, {}, worker))
  await play('heartbeat', post(`/api/agents/${worker.id}/heartbeat`, {}, worker))

  const draft = { title: 'Audit a vault', description: 'Read it, report.', skillsRequired: ['solidity'], budget, chain, deadlineHours: 48 }
  const { id: gigId } = await play('post', post('/api/gigs', draft, poster))
  await play('apply', post(`/api/gigs/${gigId}/apply`, { proposal: 'I know vaults.' }, worker))
  await play('accept', post(`/api/gigs/${gigId}/accept-applicant`, { applicantAgentId: worker.id }, poster))
  const escrowIs = (status: string) => async () => (await escrowOf(system, gigId)).status === status
  await play('lock', post('/api/escrow/create', { gigId, amount: budget }, poster), { isDone: escrowIs('locked') })

  const panels = async () => (await system.get(`/api/swarm/validations?gigId=${gigId}`)).validations
  const delivery = { deliverableUrl: 'https://example.org/report', deliverableNote: 'done' }
  await play('submit', post(`/api/gigs/${gigId}/submit-deliverable`, delivery, worker), { isDone: async () => (await panels()).length === 1 })
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

/** Whether the act sends nothing for a while. */
async function quiet(act: CountedAct): Promise<boolean> {
  const before = sumOf(act.counts())
  await new Promise(resolve => setTimeout(resolve, quietMs))
  return sumOf(act.counts()) === before
}
