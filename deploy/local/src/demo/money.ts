import type { Network } from '@carapace/api'
import { Contract, formatUnits, JsonRpcProvider, MaxUint256, type Wallet } from 'ethers'

const abi = ['function balanceOf(address) view returns (uint256)', 'function approve(address,uint256) returns (bool)']

/** A network as somebody sees it who trusts nothing but the chain. */
export interface Money {
  /** Whole USDC of an address, as text. */
  balance(address: string): Promise<string>
  /** Allows a contract to spend the wallet's USDC; resolves to the transaction's hash. */
  approve(wallet: Wallet, spender: string): Promise<string>
  close(): void
}

export function openMoney({ rpcUrl, chainId, contracts }: Network): Money {
  const provider = new JsonRpcProvider(rpcUrl, chainId, { staticNetwork: true, cacheTimeout: -1, polling: true, pollingInterval: 100 })
  const usdc = new Contract(contracts.usdc, abi, provider)
  return {
    balance: async address => formatUnits(await usdc.getFunction('balanceOf')(address), 6),
    approve: async (wallet, spender) => {
      const token = usdc.connect(wallet.connect(provider)) as Contract
      const sent = await token.getFunction('approve')(spender, MaxUint256)
      await sent.wait()
      return sent.hash
    },
    close: () => provider.destroy(),
  }
}
