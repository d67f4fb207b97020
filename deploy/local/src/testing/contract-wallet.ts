import type { Chain } from '@carapace/api'
import type { System } from '@carapace/testing'
import { createSignerClient } from '@slicekit/erc8128'
import { getCreateAddress, type HDNodeWallet, Wallet } from 'ethers'

/** A wallet that is a contract (ERC-1271): what its owner's key has signed is its signature. */
export interface ContractWallet {
  /** The same on both networks, and known before anything is deployed. */
  address: string
  deploy(chain: Chain): Promise<void>
  /** A fetch that signs each request (ERC-8128) in the name of the wallet on this network. @param signer default: its owner */
  fetchOn(chain: Chain, signer?: HDNodeWallet): typeof fetch
}

export async function newContractWallet(system: System): Promise<ContractWallet> {
  const [owner, deployer] = [Wallet.createRandom(), Wallet.createRandom()]
  const address = getCreateAddress({ from: deployer.address, nonce: 0 })
  // its gas there; the other network needs none
  await system.faucet(deployer.address, 1, 'BASE_SEPOLIA')
  return {
    address,
    deploy: async chain => {
      const sent = await deployer.connect(system.networks[chain].provider).sendTransaction({ data: creationCode(owner.address) })
      await sent.wait()
    },
    fetchOn: (chain, signer = owner) =>
      createSignerClient({
        address: address as `0x${string}`,
        chainId: system.networks[chain].chainId,
        signMessage: async message => (await signer.signMessage(message)) as `0x${string}`,
      }).fetch as typeof fetch,
  }
}

/** `isValidSignature(bytes32 hash, bytes signature)`: the magic value if `signature` (r, s, v) over `hash` is the owner's, else 0. */
function creationCode(owner: string): string {
  const runtime = [
    '6004355f52', // memory 0x00: hash
    '60a4355f1a602052', // 0x20: v, the first byte of the third word of the signature
    '606435604052', // 0x40: r
    '608435606052', // 0x60: s
    '6020608060805f60015afa50', // 0x80: ecrecover(hash, v, r, s), by the contract at address 1
    `60805173${owner.slice(2).toLowerCase()}14`, // is it the owner?
    `7f1626ba7e${'0'.repeat(56)}025f52`, // times the magic value
    '60205ff3', // return it
  ].join('')
  const size = (runtime.length / 2).toString(16).padStart(2, '0')
  // copies what follows its ten bytes into memory, and returns it
  return `0x60${size}80600a5f395ff300${runtime}`
}
