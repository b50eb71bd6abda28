# The two lines that every fake claude says, to be sourced by them.
init() { echo '{"type":"system","subtype":"init","session_id":"s1","cwd":"/sbx","model":"m-1","tools":["Bash","Read","Skill"],"mcp_servers":[],"skills":["demo:adr"],"plugins":[{"name":"demo","path":"/p/demo"}]}'; }
say() { echo '{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"'"$1"'"}]}}'; }
result() { echo '{"type":"result","subtype":"success","is_error":false,"num_turns":2,"result":"done","total_cost_usd":0.02,"session_id":"s1"}'; }
