import { type ContractName, toChecksum } from '@carapace/chain'
import { type Network, WrongNetwork } from './network.ts'

/** Calls a view function of a contract: what it answers, decoded. */
type View = (name: ContractName, fn: string, args: readonly unknown[]) => Promise<readonly unknown[]>

interface Needs {
  /** View functions, what they answer in the words of an operator, and the contract whose address that is. */
  refersTo: Readonly<Record<string, readonly [words: string, name: ContractName]>>
  /** Roles, and who has them. */
  roles: Readonly<Record<string, readonly ('Lane' | 'Batcher')[]>>
}

const operated = { OPERATOR_ROLE: ['Lane', 'Batcher'] } as const

/** What a contract that replaces another must have, if anything, so that its money can be moved by this platform and counted in its books. */
const needs: Readonly<Partial<Record<ContractName, Needs>>> = {
  Escrow: {
    refersTo: { usdc: ['the token', 'USDC'], feeRecipient: ['the fee pool', 'SwarmValidator'] },
    roles: { ...operated, FACILITATOR_ROLE: ['Lane'] },
  },
  Commerce: { refersTo: { paymentToken: ['the token', 'USDC'], feeRecipient: ['the fee pool', 'SwarmValidator'] }, roles: operated },
  DomainRegistry: {
    refersTo: { usdc: ['the token', 'USDC'], ens: ['the ENS registry', 'EnsRegistry'], resolver: ['the resolver', 'DomainResolver'] },
    roles: operated,
  },
  JobEvaluator: { refersTo: { commerce: ['the contract of jobs', 'Commerce'] }, roles: operated },
}

/**
 * Refuses a contract that replaces another and could not be used.
 * @param lane address that sends the transactions
 * @param view calls the contracts in use
 * @throws WrongNetwork that says what it lacks
 */
export async function needUsable(
  { chain, addresses }: Pick<Network, 'chain' | 'addresses'>,
  name: ContractName,
  lane: string,
  view: View,
): Promise<void> {
  const { refersTo, roles } = needs[name] ?? { refersTo: {}, roles: {} }
  const query = async (fn: string, ...args: unknown[]) => (await view(name, fn, args))[0]
  const lacks: string[] = []
  for (const [fn, [words, other]] of Object.entries(refersTo))
    if (toChecksum(String(await query(fn))) !== addresses[other]) lacks.push(`${words} ${addresses[other]}`)
  for (const [role, holders] of Object.entries(roles)) {
    const hash = await query(role)
    for (const holder of holders) {
      const address = holder === 'Lane' ? lane : addresses[holder]
      if ((await query('hasRole', hash, address)) !== true) lacks.push(`${role} for ${address}`)
    }
  }
  if (lacks.length) throw new WrongNetwork(chain, `the new ${name} ${addresses[name]} cannot be used: it lacks ${lacks.join(', ')}`)
}
