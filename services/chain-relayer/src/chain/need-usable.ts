import { type ContractName, laneRoles, toChecksum } from '@carapace/chain'
import { type Network, WrongNetwork } from './network.ts'

/** Calls a view function of a contract: what it answers, decoded. */
type View = (name: ContractName, fn: string, args: readonly unknown[]) => Promise<readonly unknown[]>

/** View functions of a contract, what they answer in the words of an operator, and the contract whose address that is: the present one, or the first of its name. */
type References = Readonly<Record<string, readonly [words: string, name: ContractName, which?: 'first']>>

const token = ['the token', 'USDC'] as const
const pool = ['the fee pool', 'SwarmValidator', 'first'] as const

/** What a contract that replaces another must refer to, so that its money can be moved by this platform and counted in its books. */
const references: Readonly<Partial<Record<ContractName, References>>> = {
  SwarmValidator: { usdc: token, bond: ['the Bond', 'Bond'] },
  Bond: { usdc: token, pool: ['the pool of slashed money', 'SwarmValidator'] },
  Escrow: { usdc: token, feeRecipient: pool },
  Commerce: { paymentToken: token, feeRecipient: pool },
  DomainRegistry: { usdc: token, ens: ['the ENS registry', 'EnsRegistry'], resolver: ['the resolver', 'DomainResolver'] },
  JobEvaluator: { commerce: ['the contract of jobs', 'Commerce'] },
}

/**
 * Refuses a contract that replaces another and could not be used.
 * @param lane address that sends the transactions
 * @param view calls the contracts in use
 * @throws WrongNetwork that says what it lacks
 */
export async function needUsable(
  { chain, addresses, origin }: Pick<Network, 'chain' | 'addresses' | 'origin'>,
  name: ContractName,
  lane: string,
  view: View,
): Promise<void> {
  const query = async (fn: string, ...args: unknown[]) => (await view(name, fn, args))[0]
  const lacks: string[] = []
  for (const [fn, [words, other, which]] of Object.entries(references[name] ?? {})) {
    const wanted = (which === 'first' ? origin : addresses)[other]
    if (toChecksum(String(await query(fn))) !== wanted) lacks.push(`${words} ${wanted}`)
  }
  for (const { role, hash } of laneRoles('real').filter(({ contract }) => contract === name)) {
    // operations are sent alone by the lane, and many in one transaction by the Batcher
    const holders = role === 'OPERATOR' ? [lane, addresses.Batcher] : [lane]
    for (const holder of holders) if ((await query('hasRole', hash, holder)) !== true) lacks.push(`${role}_ROLE for ${holder}`)
  }
  if (lacks.length) throw new WrongNetwork(chain, `the new ${name} ${addresses[name]} cannot be used: it lacks ${lacks.join(', ')}`)
}
