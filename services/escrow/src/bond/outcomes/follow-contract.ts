import { Retry } from '@carapace/bus'
import type { Log } from '../../chain-log.ts'
import type { Parts } from '../../parts.ts'
import { type Move, newMove } from '../bond.ts'
import { bondDecision } from '../bond-decision.ts'
import { stakeOn } from '../bound-contract.ts'
import { changeBond } from '../change-bond.ts'
import { makeDirectMove } from './direct-decisions.ts'
import { isAtRest } from './is-at-rest.ts'

/**
 * The contract has paid its owner more than the bond counts as free: a deposit was not counted (made before the wallet was registered, or while the stake was
 * on another contract), or its log has yet to come. The bond gets the total that the contract has in its newest final block, and of what its owner does only
 * what is after that block counts: in whichever order logs come, no stake remains that the contract has not.
 * @param withdrawal of that log
 * @throws Retry while a command is under way, or the effect of one of ours is not final: it would count twice or not at all
 */
export async function followContract(parts: Parts, agentId: string, { network, address, args, blockNumber }: Log, withdrawal: Move): Promise<void> {
  const before = await parts.bonds.need(agentId)
  const { stake, blockNumber: finalBlock } = await stakeOn(parts, { chain: network, wallet: String(args.agent) }, address, true)
  if (finalBlock < blockNumber) throw new Retry('the block of a direct withdrawal is not final yet')
  await changeBond(parts, agentId, bond => {
    if (bond.version !== before.version || !isAtRest(bond, finalBlock)) throw new Retry('a direct withdrawal waits for the commands of its bond')
    const difference = stake - bond.total
    if (bond.free + difference < 0n) throw new Retry('the contract has less than the locks of a bond')
    const anchored = { ...bond, directAfter: finalBlock }
    if (difference === 0n) return bondDecision(anchored)
    const [type, amount] = difference > 0n ? (['DEPOSIT', difference] as const) : (['WITHDRAW', -difference] as const)
    const id = `${withdrawal.id}-total`
    const reason = 'The total that the contract has'
    const move = newMove({ ...withdrawal, id, operationId: id, type, amount, reason })
    return makeDirectMove(anchored, move, parts.clock.now())
  })
}
