import { contractInterface } from './abi.ts'
import type { ContractCall } from './command.ts'
import type { Addresses, ContractName } from './contract-names.ts'
import { encodeWords } from './words.ts'

/** Stands in the arguments of a call for an address that only the network knows. */
interface Placeholder {
  addressOf: ContractName | 'Lane'
}
export interface EncodedCall {
  to: string
  data: string
}

/**
 * Calldata of a contract call on a network.
 * @param lane address that sends the transaction; stands for `{ addressOf: 'Lane' }`
 * @throws TypeError when an argument does not fit the ABI
 */
export function encodeCall(call: ContractCall, addresses: Addresses, lane: string): EncodedCall {
  const args = call.args.map(value => (isPlaceholder(value) ? (value.addressOf === 'Lane' ? lane : addresses[value.addressOf]) : value))
  const abi = contractInterface(call.contract)
  const fragment = abi.getFunction(call.fn)
  if (!fragment) throw new TypeError(`${call.contract} has no function ${call.fn}`)
  return { to: addresses[call.contract], data: encodeWords(fragment, args) ?? abi.encodeFunctionData(fragment, args) }
}

/** What a view function answered. @throws Error when the bytes do not fit the ABI */
export function decodeResult(call: ContractCall, data: string): readonly unknown[] {
  return contractInterface(call.contract).decodeFunctionResult(call.fn, data)
}

const isPlaceholder = (value: unknown): value is Placeholder => typeof value === 'object' && value !== null && 'addressOf' in value
