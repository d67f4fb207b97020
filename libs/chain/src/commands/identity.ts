import { chain } from '@carapace/api'
import { z } from 'zod'
import { command, nothing } from '../command.ts'
import { address, amount, recordId } from '../fields.ts'
import { onChainKey, toChecksum } from '../keys.ts'
import { storedTextGas } from '../text-gas.ts'

const uri = z.string().max(500)
const sameAddress = (a: unknown, b: string) => toChecksum(String(a)) === b

export const identityRegister = command({
  kind: 'identity.register',
  args: { agentId: recordId, chain, owner: address, uri },
  key: ['agentId', 'chain'],
  aggregate: ({ agentId }) => `agent:${agentId}`,
  gas: a => 300_000n + storedTextGas(a.uri),
  batchable: true,
  finalReverts: ['Identity_KeyTaken', 'ERC721InvalidReceiver'],
  needs: nothing,
  call: a => ({ contract: 'IdentityRegistry', fn: 'registerFor', args: [a.owner, onChainKey(a.agentId), a.uri] }),
  effect: a => ({ contract: 'IdentityRegistry', fn: 'agentOfKey', args: [onChainKey(a.agentId)], isOurs: ([exists]) => exists === true }),
})

export const cardMint = command({
  kind: 'card.mint',
  args: { agentId: recordId, chain, to: address, tokenId: amount },
  key: ['agentId', 'chain'],
  aggregate: ({ agentId }) => `agent:${agentId}`,
  gas: 180_000n,
  batchable: true,
  finalReverts: ['ERC721InvalidReceiver'],
  needs: () => [{ kind: 'identity.register' }, { kind: 'card.burn' }],
  call: a => ({ contract: 'Card', fn: 'mint', args: [a.to, a.tokenId] }),
  effect: a => ({ contract: 'Card', fn: 'ownerOf', args: [a.tokenId], isOurs: ([owner]) => sameAddress(owner, a.to) }),
})

/** Makes room for the card of the agent that has proven this wallet: a wallet holds one. Before that agent's mint, since both are of its aggregate. */
export const cardBurn = command({
  kind: 'card.burn',
  args: { agentId: recordId, chain, wallet: address, tokenId: amount },
  key: ['agentId', 'chain'],
  aggregate: ({ agentId }) => `agent:${agentId}`,
  gas: 80_000n,
  batchable: true,
  finalReverts: [],
  needs: nothing,
  call: a => ({ contract: 'Card', fn: 'burn', args: [a.tokenId] }),
  effect: a => ({ contract: 'Card', fn: 'cardOf', args: [a.wallet], isOurs: ([card]) => (card as bigint) !== BigInt(a.tokenId) }),
})

export const cardUpdate = command({
  kind: 'card.update',
  args: { agentId: recordId, version: z.int().min(1), tokenId: amount },
  key: ['agentId', 'version'],
  aggregate: ({ agentId }) => `agent:${agentId}`,
  gas: 60_000n,
  batchable: true,
  finalReverts: ['Card_StaleVersion'],
  needs: () => [{ kind: 'card.mint' }],
  call: a => ({ contract: 'Card', fn: 'refresh', args: [a.tokenId, BigInt(a.version)] }),
  effect: a => ({ contract: 'Card', fn: 'versionOf', args: [a.tokenId], isOurs: ([version]) => (version as bigint) >= BigInt(a.version) }),
})

/** 0.01 sFUEL, once per wallet, on the network whose users pay no gas price. */
export const gasDrip = command({
  kind: 'gas.drip',
  args: { wallet: address },
  key: ['wallet'],
  aggregate: ({ wallet }) => `wallet:${wallet}`,
  gas: 21_000n,
  batchable: false,
  finalReverts: [],
  needs: nothing,
  call: a => ({ to: a.wallet, value: 10_000_000_000_000_000n }),
})
