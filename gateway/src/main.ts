import { runProcess } from '@carapace/service'
import { startGateway } from './start.ts'

runProcess('gateway', async ground => {
  const { url, publicBaseUrl, close } = await startGateway(ground)
  return { where: { url, publicBaseUrl }, close }
})
