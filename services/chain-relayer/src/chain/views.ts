import { refuse, refuseField } from '@carapace/api'
import { type ContractName, contractInterface, contractNames, named, plain, rawForm } from '@carapace/chain'
import { type Rpc, RpcRefused, RpcUnavailable, resultOf } from '../rpc/rpc.ts'
import type { Network } from './network.ts'
import { placeOf } from './place-of.ts'
import { perBatch } from './reader.ts'

export interface View {
  contract: string
  fn: string
  /** As of `placeOf`. */
  at?: string | undefined
}

/**
 * Calls a view function of one of our contracts with each of these lists of arguments; big integers as decimal text.
 * @param tag of the block
 * @throws Refusal NOT_FOUND, VALIDATION_ERROR where the contract refuses the arguments, CHAIN_UNAVAILABLE
 */
export async function callViews(
  network: Network,
  rpc: Pick<Rpc, 'batch'>,
  { contract, fn, at }: View,
  calls: readonly (readonly unknown[])[],
  tag: string,
): Promise<unknown[][]> {
  const name = contractNames.find(one => one === contract) ?? refuse('NOT_FOUND', { resource: 'contract' })
  const to = placeOf(network, name, at)
  const fragment = viewFunction(name, fn)
  const abi = contractInterface(name)
  const results: unknown[][] = []
  try {
    for (let first = 0; first < calls.length; first += perBatch) {
      const part = calls.slice(first, first + perBatch)
      const requests = part.map(args => ({ method: 'eth_call', params: [{ to, data: abi.encodeFunctionData(fragment, args) }, tag] }))
      for (const reply of await rpc.batch(requests)) {
        const values = abi.decodeFunctionResult(rawForm(fragment), String(resultOf('eth_call', reply)))
        results.push(Object.values(named(fragment.outputs, values)).map(plain))
      }
    }
  } catch (error) {
    if (error instanceof RpcUnavailable) refuse('CHAIN_UNAVAILABLE', { chain: network.chain })
    badCall(error)
  }
  return results
}

function viewFunction(contract: ContractName, fn: string) {
  const fragment = contractInterface(contract).getFunction(fn)
  if (!fragment || (fragment.stateMutability !== 'view' && fragment.stateMutability !== 'pure'))
    return refuse('NOT_FOUND', { resource: 'view function' })
  return fragment
}

function badCall(error: unknown): never {
  if (error instanceof RpcRefused || error instanceof TypeError || (error as { code?: string }).code === 'INVALID_ARGUMENT')
    refuseField('args', `refused by the contract: ${(error as Error).message.slice(0, 200)}`)
  throw error
}
