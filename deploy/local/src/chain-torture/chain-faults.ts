import { setTimeout as sleep } from 'node:timers/promises'
import { signal } from '../torture/process-tree.ts'
import type { ChainUnderTest } from './chains.ts'
import type { Fault } from './fault.ts'

const hexOf = (value: number | bigint) => `0x${value.toString(16)}`
const gwei = 10n ** 9n
const blockGas = 60_000_000

const reorganise =
  (depth: number) =>
  ({ rpc }: ChainUnderTest) =>
    rpc('anvil_reorg', [depth, []])

const reorganisations: readonly Fault[] = [1, 2, 3, 4, 5, 6, 7, 8].map(depth => ({
  name: `reorganisations of depth ${depth}`,
  seconds: 8,
  everySeconds: 3,
  begin: reorganise(depth),
  isOnEach: true,
  isShort: depth === 2 || depth === 8,
}))

/** The lowest transaction of the lane that waits, if any. */
async function dropOne({ rpc, lane }: ChainUnderTest): Promise<void> {
  const { pending } = (await rpc('txpool_content')) as { pending: Record<string, Record<string, { hash: string }>> }
  const own = Object.entries(pending).find(([address]) => address.toLowerCase() === lane.toLowerCase())?.[1] ?? {}
  const lowest = Object.keys(own).sort((a, b) => Number(a) - Number(b))[0]
  if (lowest !== undefined) await rpc('anvil_dropTransaction', [own[lowest]!.hash])
}

const revertToSnapshot: Fault = {
  name: 'a revert to a snapshot',
  seconds: 8,
  begin: async chain => {
    const snapshot = await chain.rpc('evm_snapshot')
    await sleep(6_000)
    await chain.rpc('evm_revert', [snapshot])
  },
  isShort: true,
}

const gasFaults: readonly Fault[] = [
  {
    name: 'blocks with too little gas',
    seconds: 10,
    begin: ({ rpc }) => rpc('evm_setBlockGasLimit', [hexOf(90_000)]),
    end: ({ rpc }) => rpc('evm_setBlockGasLimit', [hexOf(blockGas)]),
  },
  {
    name: 'a lane without money for gas',
    seconds: 10,
    begin: ({ rpc, lane }) => rpc('anvil_setBalance', [lane, '0x0']),
    end: ({ rpc, lane }) => rpc('anvil_setBalance', [lane, hexOf(10n ** 21n)]),
    only: 'BASE_SEPOLIA',
    isShort: true,
  },
  ...[20n, 400n].map(
    (price): Fault => ({
      name: `a base fee of ${price} gwei`,
      seconds: 12,
      everySeconds: 1,
      begin: ({ rpc }) => rpc('anvil_setNextBlockBaseFeePerGas', [hexOf(price * gwei)]),
      end: ({ rpc }) => rpc('anvil_setNextBlockBaseFeePerGas', [hexOf(gwei)]),
      only: 'BASE_SEPOLIA',
      laneSeconds: 15,
      isShort: price === 400n,
    }),
  ),
]

const processFaults: readonly Fault[] = [
  { name: 'anvil killed', seconds: 12, everySeconds: 5, begin: ({ pid }) => signal(pid(), 'SIGKILL'), isShort: true },
  {
    name: 'anvil paused',
    seconds: 12,
    begin: ({ pid }) => signal(pid(), 'SIGSTOP'),
    end: ({ pid }) => signal(pid(), 'SIGCONT'),
    isShort: true,
  },
]

/** The chain itself fails: it loses what it had accepted, or accepts nothing. */
export const chainFaults: readonly Fault[] = [
  ...reorganisations,
  revertToSnapshot,
  { name: 'dropped transactions', seconds: 10, everySeconds: 0.05, begin: dropOne },
  ...gasFaults,
  ...processFaults,
]
