"""NetworkPolicies, evaluated: may this one talk to that one?

As Kubernetes defines them: a pod that no policy selects for a direction may do all; one that some do may do what any of them allows. An
ipBlock is held against the addresses of pods too, as most networks do: that makes more possible, never less. A field that is not known here is
an error, not a yes.
"""

import dataclasses
import ipaddress


@dataclasses.dataclass(frozen=True)
class End:
    """A pod, or without labels something outside of the cluster."""

    address: str
    labels: dict | None = None
    namespace: dict | None = None


def selects(selector, labels):
    unknown = set(selector) - {"matchLabels", "matchExpressions"}
    if unknown:
        raise ValueError(f"unknown in a selector: {unknown}")
    return all(labels.get(name) == value for name, value in selector.get("matchLabels", {}).items()) and all(
        _holds(one, labels) for one in selector.get("matchExpressions", []))


def _holds(expression, labels):
    key = expression["key"]
    return {"In": lambda: labels.get(key) in expression["values"], "NotIn": lambda: labels.get(key) not in expression["values"],
            "Exists": lambda: key in labels, "DoesNotExist": lambda: key not in labels}[expression["operator"]]()


def _is_peer(peer, end, own_namespace):
    unknown = set(peer) - {"podSelector", "namespaceSelector", "ipBlock"}
    if unknown or not peer or ("ipBlock" in peer and len(peer) > 1):
        raise ValueError(f"not a peer: {peer}")
    if "ipBlock" in peer:
        address = ipaddress.ip_address(end.address)
        within = [ipaddress.ip_network(one) for one in [peer["ipBlock"]["cidr"], *peer["ipBlock"].get("except", [])]]
        return address in within[0] and not any(address in one for one in within[1:])
    if end.labels is None:
        return False
    if "namespaceSelector" in peer:
        in_namespace = selects(peer["namespaceSelector"], end.namespace)
    else:
        in_namespace = end.namespace == own_namespace
    return in_namespace and selects(peer.get("podSelector", {}), end.labels)


def _allows(rule, direction, end, own_namespace, port, protocol):
    unknown = set(rule) - {direction, "ports"}
    if unknown:
        raise ValueError(f"unknown in a rule: {unknown}")
    peers, ports = rule.get(direction), rule.get("ports")
    return (not peers or any(_is_peer(peer, end, own_namespace) for peer in peers)) and (
        not ports or any(_is_port(one, port, protocol) for one in ports))


def _is_port(rule, port, protocol):
    if set(rule) - {"protocol", "port", "endPort"} or not isinstance(rule.get("port", 0), int):
        raise ValueError(f"not a port: {rule}")
    return rule.get("protocol", "TCP") == protocol and ("port" not in rule or rule["port"] <= port <= rule.get("endPort", rule["port"]))


def _may(policies, namespace, pod, direction, other, port, protocol):
    if pod.labels is None:
        return True
    kind, rules, peers = {"out": ("Egress", "egress", "to"), "in": ("Ingress", "ingress", "from")}[direction]
    mine = [one["spec"] for one in policies if pod.namespace == namespace and selects(one["spec"]["podSelector"], pod.labels)
            and kind in one["spec"]["policyTypes"]]
    return not mine or any(_allows(rule, peers, other, namespace, port, protocol) for one in mine for rule in one.get(rules, []))


def may_talk(policies, namespace, source, destination, port, protocol="TCP"):
    """Whether a connection gets through; `namespace` has the labels of the one in which the policies are."""
    return _may(policies, namespace, source, "out", destination, port, protocol) and _may(
        policies, namespace, destination, "in", source, port, protocol)
