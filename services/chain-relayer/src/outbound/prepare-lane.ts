import { type ChainCommand, chainCommand } from '@carapace/api'
import { commandTable, everyAddress } from '@carapace/chain'
import type { Lane } from '../lane/lane.ts'
import { hasFailed } from '../lane/records.ts'
import { effectIsThere } from './effect.ts'
import { newOp } from './intake.ts'

/** Approves every escrow once to pull the x402 payments that arrive at the lane's address. The lane needs this before it can serve. */
export async function prepareLane(lane: Lane): Promise<void> {
  const { addresses, former, origin } = lane.network
  for (const escrow of new Set(everyAddress('Escrow', addresses, former))) await approve(lane, escrow === origin.Escrow ? 'Escrow' : escrow)
}

async function approve(lane: Lane, spender: string): Promise<void> {
  const draft = commandTable.laneApprove.draft({ chain: lane.network.chain, spender, lane: lane.signer.address })
  const command: ChainCommand = chainCommand.parse(draft.data)
  const fresh = newOp(command, lane.id, 0, Date.now(), null)
  const stored = await lane.db.ops.findOne({ _id: fresh._id })
  if ((stored && !hasFailed(stored)) || (await effectIsThere(lane, fresh))) return
  const op = { ...fresh, round: (stored?.round ?? 0) + 1, seq: stored?.seq ?? 0 }
  const { _id, ...fields } = op
  await lane.db.txs.deleteMany({ liveOps: _id, nonce: null })
  await lane.db.ops.replaceOne({ _id }, fields, { upsert: true })
  lane.queue.add(op, false)
}
