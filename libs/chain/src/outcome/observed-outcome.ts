import type { ObservedOutcome } from './on-chain.ts'

const maxLength = 500

/** A failure as it is stored and shown: its code, and the contract's own error by name, else the message. */
export const failureText = ({ code, message, revert }: { code: string; message: string; revert?: { name: string } | undefined }): string =>
  `${code}: ${revert?.name ?? message}`.slice(0, maxLength)

/** What a service receives of the relayer, or has made of it: as much as a record stores. */
type Received =
  | { is: 'submitted'; round: number; seq: number; txHash: string }
  | { is: 'reorged'; round: number; seq: number }
  | { is: 'confirmed'; round: number; seq: number; txHash: string; blockNumber: number }
  | Failed
type Failed = { is: 'failed'; round: number; seq: number; terminal?: boolean; txHash?: string | undefined } & Parameters<typeof failureText>[0]

/** An outcome as records follow it. @example followOutcome(vote.onChain, observedOutcome(published)) */
export function observedOutcome(received: Received): ObservedOutcome {
  const { round, seq } = received
  switch (received.is) {
    case 'submitted':
      return { is: 'submitted', round, seq, txHash: received.txHash }
    case 'confirmed':
      return { is: 'confirmed', round, seq, txHash: received.txHash, blockNumber: received.blockNumber }
    case 'failed':
      return { is: 'failed', round, seq, terminal: received.terminal ?? true, txHash: received.txHash ?? null, error: failureText(received) }
    case 'reorged':
      return { is: 'reorged', round, seq }
  }
}
