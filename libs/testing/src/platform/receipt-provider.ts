import { setTimeout as sleep } from 'node:timers/promises'
import type { Network } from '@carapace/api'
import { JsonRpcProvider, type Subscriber } from 'ethers'

const pollMs = 30

/**
 * A provider whose `wait` reads a receipt until it exists. That of ethers reads it again at the next block only, which comes up to a second after the
 * one that includes the transaction.
 */
export function receiptProvider({ rpcUrl, chainId }: Pick<Network, 'rpcUrl' | 'chainId'>): JsonRpcProvider {
  const provider = new JsonRpcProvider(rpcUrl, chainId, { staticNetwork: true, cacheTimeout: -1, polling: true, pollingInterval: 50 })
  const subscriberOf = provider._getSubscriber.bind(provider)
  provider._getSubscriber = subscription =>
    subscription.type === 'transaction' ? receiptPolls(provider, subscription.hash) : subscriberOf(subscription)
  return provider
}

function receiptPolls(provider: JsonRpcProvider, hash: string): Subscriber {
  let isRunning = false
  const run = async () => {
    isRunning = true
    while (isRunning) {
      // a read that fails is made again
      const receipt = await provider.getTransactionReceipt(hash).catch(() => null)
      if (receipt) await provider.emit(hash, receipt)
      await sleep(pollMs)
    }
  }
  const start = () => void run()
  const stop = () => {
    isRunning = false
  }
  return { start, stop, pause: stop, resume: start }
}
