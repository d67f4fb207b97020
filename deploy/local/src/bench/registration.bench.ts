import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { newWallet, reportFigure } from '@carapace/testing'
import { compareCosts, type Load, runLoad } from './load.ts'
import { ownEngine, startSide } from './side.ts'

// Part of npm run bench: a registration with all that follows from it in the services, without the relayer, against raw writes of the documents that it leaves.
const [rounds, requests] = [5, 150]
/** Events of the last registrations are handled by then. */
const settledMs = 2_000

const engine = await ownEngine()
const side = await startSide(engine, '')
const child = fork(fileURLToPath(new URL('./raw-server.js', import.meta.url)), [engine.uri], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
try {
  const [{ url: rawUrl }] = (await once(child, 'message')) as [{ url: string }]
  const registration: Load = {
    url: side.url,
    method: 'POST',
    path: () => '/api/register-agent',
    // the answer would wait for the chain
    headers: () => ({ prefer: 'respond-async' }),
    body: () => ({ handle: `bench-${randomBytes(6).toString('hex')}`, walletAddress: newWallet(), skills: ['solidity'] }),
    check: answer => assertSuccess((answer as { success: unknown }).success === true),
  }
  const raw: Load = {
    url: rawUrl,
    method: 'POST',
    path: () => '/registration',
    body: () => ({}),
    check: answer => assertSuccess(typeof (answer as { n: unknown }).n === 'number'),
  }
  const settled = () => pause(settledMs)
  const ratios = await compareCosts(
    rounds,
    () => runLoad(registration, requests, side.pids, settled),
    () => runLoad(raw, requests, async () => [child.pid!, engine.pid()!]),
  )
  reportFigure('writes.registration', ratios)
} finally {
  child.disconnect()
  await side.close()
  await engine.close()
}

function assertSuccess(isRight: boolean): void {
  if (!isRight) throw new Error('an answer is not the right one')
}
