import { connect } from 'node:net'

/** Whether somebody accepts connections there. */
export function isListening(host: string, port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, host)
    const settle = (isUp: boolean) => () => {
      socket.destroy()
      resolve(isUp)
    }
    socket.once('connect', settle(true))
    socket.once('error', settle(false))
    socket.setTimeout(2_000, settle(false))
  })
}
