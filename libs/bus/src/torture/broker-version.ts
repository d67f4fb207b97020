import { connect } from 'amqplib'

/** The server at an address. @example await brokerVersion(url) // 'RabbitMQ 4.0.5' */
export async function brokerVersion(url: string): Promise<string> {
  const connection = await connect(url)
  connection.on('error', () => {})
  const { product, version } = connection.connection.serverProperties
  await connection.close()
  return `${product} ${version}`
}
