import { type Chain, chainRelayerApi } from '@carapace/api'
import type { FacilitatorEvmSigner } from '@x402/evm'
import { decodeFunctionResult, encodeFunctionData, type Hex, hashTypedData } from 'viem'
import type { Parts } from '../../parts.ts'

const { chainCall, chainCode, isValidSignature } = chainRelayerApi.internal

export interface ChainReads {
  signer: FacilitatorEvmSigner
  /** The network was away while it was read: an answer that rests on it is none. */
  failure(): unknown
}

/**
 * What the x402 packages read of a network, through the relayer, for one verification: equal reads are one. They send nothing: a settlement is a
 * command of the relayer.
 */
export function chainReads({ peers }: Parts, chain: Chain, lane: string): ChainReads {
  const cached = new Map<string, Promise<unknown>>()
  let failure: unknown
  const once = <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const reading = cached.get(key) as Promise<T> | undefined
    if (reading !== undefined) return reading
    const answer = read().catch((error: unknown) => {
      failure = error
      throw error
    })
    cached.set(key, answer)
    return answer
  }
  const call = (to: string, data: Hex) =>
    once(`${to}/${data}`, () => peers.call('chain-relayer', chainCall, { params: { chain }, body: { to, data } }))
  const sendsNothing = () => Promise.reject(new Error('Settlements are commands of the chain relayer'))
  const signer: FacilitatorEvmSigner = {
    getAddresses: () => [lane as Hex],
    // The packages call this ahead and may never wait for the answer, so it never rejects: an unhandled rejection would end the process.
    getCode: ({ address }) =>
      once(`code/${address}`, () => peers.call('chain-relayer', chainCode, { params: { chain, wallet: address } })).then(
        ({ code }) => code as Hex,
        () => '0x',
      ),
    readContract: async ({ address, abi, functionName, args = [] }) => {
      const { success, data, reason } = await call(
        address,
        encodeFunctionData({ abi, functionName, args } as Parameters<typeof encodeFunctionData>[0]),
      )
      if (!success) throw new Error(reason ?? 'reverted')
      return decodeFunctionResult({ abi, functionName, data: data as Hex } as Parameters<typeof decodeFunctionResult>[0])
    },
    verifyTypedData: async ({ address, signature, ...typedData }) => {
      const hash = hashTypedData(typedData as Parameters<typeof hashTypedData>[0])
      const body = { wallet: address, hash, signature }
      const check = () => peers.call('chain-relayer', isValidSignature, { params: { chain }, body })
      return (await once(`signature/${address}/${hash}/${String(signature)}`, check)).valid
    },
    writeContract: sendsNothing,
    sendTransaction: sendsNothing,
    waitForTransactionReceipt: sendsNothing,
  }
  return { signer, failure: () => failure }
}
