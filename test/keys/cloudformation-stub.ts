import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Outputs = Record<string, string>;

const arn = 'arn:aws:iam::000000000000:user/operator';

/**
 * Starts a server that speaks CloudFormation's `DescribeStacks` for the stacks it is given, and STS's
 * `GetCallerIdentity`.
 */
export async function startCloudFormationStub(stacks: Record<string, Outputs>) {
  const server = createServer(async (request, response) => {
    const query = new URLSearchParams(await text(request));
    const name = query.get('StackName') ?? '';
    const outputs = stacks[name];
    response.setHeader('content-type', 'text/xml');
    if (query.get('Action') === 'GetCallerIdentity') {
      response.end(identity);
      return;
    }
    response.statusCode = outputs ? 200 : 400;
    response.end(outputs ? described(name, outputs) : refused(name));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    arn,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => server.close(),
  };
}

function described(name: string, outputs: Outputs): string {
  const members = Object.entries(outputs).map(
    ([key, value]) =>
      `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  return `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/">
    <DescribeStacksResult><Stacks><member>
      <StackName>${name}</StackName>
      <CreationTime>2026-11-20T00:00:00.000Z</CreationTime>
      <StackStatus>CREATE_COMPLETE</StackStatus>
      <Outputs>${members.join('')}</Outputs>
    </member></Stacks></DescribeStacksResult>
    <ResponseMetadata><RequestId>stub</RequestId></ResponseMetadata>
  </DescribeStacksResponse>`;
}

const identity = `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
    <GetCallerIdentityResult><Arn>${arn}</Arn></GetCallerIdentityResult>
    <ResponseMetadata><RequestId>stub</RequestId></ResponseMetadata>
  </GetCallerIdentityResponse>`;

const refused = (name: string) =>
  `<ErrorResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/">
    <Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id ${name} does not exist</Message></Error>
    <RequestId>stub</RequestId>
  </ErrorResponse>`;
