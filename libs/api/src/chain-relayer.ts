import { chainCommandEvents, contractEvents, logsRemoved } from './chain-relayer/events.ts'
import {
  checkSignature,
  getAllowance,
  getBalance,
  getCustodyAddress,
  getHead,
  getNetworks,
  getOperation,
  getTokenOwner,
  getTransaction,
} from './chain-relayer/internal.ts'
import { listChainQueue, retryChainCommand } from './chain-relayer/operations.ts'
import { serviceApi } from './core/service-api.ts'

/** The only one that signs and talks to the networks: commands in, outcomes and contract events out. */
export const chainRelayerApi = serviceApi('chain-relayer', {
  endpoints: { listChainQueue, retryChainCommand },
  internal: {
    getNetworks,
    getHead,
    getTransaction,
    getBalance,
    getAllowance,
    getTokenOwner,
    checkSignature,
    getOperation,
    getCustodyAddress,
  },
  events: { ...chainCommandEvents, logsRemoved, ...contractEvents },
})
