import type { Faults } from '@carapace/testing'
import type { Fault } from './fault.ts'

const misbehaving = (name: string, faults: Partial<Faults>, more: Partial<Fault> = {}): Fault => ({
  name: `a node ${name}`,
  seconds: 10,
  begin: ({ node }) => Object.assign(node.faults, faults),
  end: ({ node }) => node.heal(),
  ...more,
})

/** The node in front of the chain fails, the chain itself is healthy. */
export const nodeFaults: readonly Fault[] = [
  misbehaving('that is slow', { delayMs: 1_500 }, { isShort: true }),
  misbehaving('that is slower than anybody waits', { delayMs: 12_000 }, { seconds: 20 }),
  misbehaving('that cannot be reached', { down: true }),
  misbehaving('that refuses a third of all calls', { refuse: 0.33 }),
  misbehaving('that refuses everything', { refuse: 1 }),
  misbehaving('whose answers get lost', { lose: 0.2 }, { seconds: 15, isShort: true }),
  misbehaving('that accepts transactions without an answer', { muteSends: true }),
  misbehaving('that accepts transactions and drops them', { swallow: 0.5 }),
  misbehaving('that turns the order round', { reverse: true }),
  misbehaving('that announces no heads', { muteHeads: true }),
  misbehaving('whose head does not move', { staleBy: 0 }, { seconds: 12, isShort: true }),
  misbehaving('that falls back by five blocks', { staleBy: 5 }),
  misbehaving('without logs', { hideLogs: 1 }, { isShort: true }),
  misbehaving('that lacks half of the logs', { hideLogs: 0.5 }),
  misbehaving('without receipts', { hideReceipts: true }),
  misbehaving('whose nonce is too high', { nonceOffset: 3 }, { isShort: true }),
  misbehaving('whose nonce is too low', { nonceOffset: -3 }),
]
