import { randomUUID } from 'node:crypto'
import { type Draft, escrowReleased, escrowRestated, type PayloadOf } from '@carapace/api'
import { newHash, newWallet } from './relayer.ts'

const budget = 40_000_000n
const fee = 1_200_000n
const net = budget - fee

const facts = () => ({
  escrowId: randomUUID(),
  gigId: randomUUID(),
  gigTitle: 'Audit',
  posterId: randomUUID(),
  assigneeId: randomUUID(),
  amount: budget,
  chain: 'BASE_SEPOLIA' as const,
})

/** What the escrow publishes of a gig that is paid, 40 USDC after an approval. @example released({ gigId, posterId: poster.id, assigneeId: worker.id }) */
export const released = (more: Partial<PayloadOf<typeof escrowReleased>> = {}): Draft =>
  escrowReleased.of({
    ...facts(),
    fundedFrom: { kind: 'allowance', address: newWallet() },
    crewId: null,
    skillsRequired: [],
    feeBp: 300,
    fee,
    net,
    split: { treasury: 0n, external: net, treasuryAddress: null, externalAddress: newWallet() },
    txHash: newHash(),
    blockNumber: 5,
    by: 'swarm',
    verdict: 'APPROVED',
    validationId: null,
    weak: false,
    creditable: true,
    afterDispute: false,
    posterScore: 15,
    assigneeScore: 15,
    settledAt: new Date().toISOString(),
    ...more,
  })

/** A correction of a settlement, as the escrow publishes it: reversed and to be made again, if it does not say otherwise. @example corrected({ gigId, status: 'refunded', unpaid: true }) */
export const corrected = (more: Partial<PayloadOf<typeof escrowRestated>> = {}): Draft =>
  escrowRestated.of({ ...facts(), status: 'locked', unpaid: false, txHash: null, blockNumber: null, settledAt: null, ...more })
