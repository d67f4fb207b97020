import { chain } from '@carapace/api'
import { z } from 'zod'
import { batchId } from '../batch.ts'
import { command, nothing } from '../command.ts'
import { address, amount, bytes32, keyId } from '../fields.ts'
import { spokenTextGas, storedTextGas } from '../text-gas.ts'

const score = z.object({
  wallet: address,
  /** FusedScore in hundredths. */
  score: z.int().min(0).max(10_000),
  risk: z.int().min(0).max(100),
  bonded: z.boolean(),
  /** Unix seconds. */
  updatedAt: z.int().min(0),
  /** The same for all scores of a batch. Rises per wallet; the contract skips what is not newer. */
  nonce: amount,
})

export const scoreSync = command({
  kind: 'score.sync',
  args: { chain, batchId: keyId, scores: z.array(score).min(1).max(50) },
  key: ['chain', 'batchId'],
  aggregate: args => `scores:${args.chain}`,
  gas: ({ scores }) => 40_000n + 75_000n * BigInt(scores.length),
  batchable: true,
  finalReverts: ['Reputation_BatchSize', 'Reputation_NothingNew', 'Reputation_OutOfRange'],
  needs: nothing,
  call: a => ({
    contract: 'ReputationAdapter',
    fn: 'setScores',
    args: [a.scores],
  }),
  effect: a => ({
    contract: 'ReputationAdapter',
    fn: 'getScore',
    args: [a.scores[0]!.wallet],
    // a later batch may have replaced this score, which says nothing of the other scores of this one
    isOurs: ([current]) => (current as { nonce: bigint }).nonce === a.scores[0]!.nonce,
  }),
})

export const feedbackGive = command({
  kind: 'feedback.give',
  args: {
    settlementId: keyId,
    erc8004Id: amount,
    value: z.int().min(-1_000_000).max(1_000_000),
    valueDecimals: z.int().min(0).max(18),
    tag1: z.string().max(64),
    tag2: z.string().max(64),
    endpoint: z.string().max(500),
    feedbackUri: z.string().max(500),
    feedbackHash: bytes32,
  },
  key: ['settlementId'],
  aggregate: ({ erc8004Id }) => `feedback:${erc8004Id}`,
  gas: a => 330_000n + storedTextGas(a.tag1) + storedTextGas(a.tag2) + spokenTextGas(a.endpoint) + spokenTextGas(a.feedbackUri),
  batchable: true,
  guarded: true,
  finalReverts: ['too many decimals', 'value too large', 'Self-feedback not allowed'],
  needs: nothing,
  call: a => ({
    contract: 'ReputationRegistry',
    fn: 'giveFeedback',
    args: [a.erc8004Id, BigInt(a.value), a.valueDecimals, a.tag1, a.tag2, a.endpoint, a.feedbackUri, a.feedbackHash],
  }),
  effect: a => ({ contract: 'Batcher', fn: 'done', args: [batchId(`feedback.give:${a.settlementId}`)], isOurs: ([done]) => done === true }),
})
