"""Measurements: what the command says of the same files."""

import subprocess

import flitwise as fw
import pytest

LATENCY = "# OSU MPI Latency Test\n# Size  Latency (us)\n8 1.00\n1024 1.50\n4096 3.00\n65536 33.0\n"


def test_fit_is_what_the_command_prints(command, tmp_path, monkeypatch):
    (tmp_path / "latency.txt").write_text(LATENCY)
    told = subprocess.run([command, "fit", "latency.txt", "--tick", "1ns"], cwd=tmp_path, capture_output=True, text=True)
    monkeypatch.chdir(tmp_path)
    assert told.returncode == 0 and fw.fit("latency.txt", tick="1ns").toml == told.stdout
    assert fw.fit([LATENCY], tick="1ns", model="logp").toml.count("[model.") == 1


def test_a_machine_that_was_fitted_runs(tmp_path):
    multicast = {"algorithms": ["opt-mesh"], "bytes": "64KiB", "group": 8}
    scenario = {"network.mesh.shape": [4, 4], "workload.multicast": multicast}
    fitted = fw.fit(LATENCY, tick="1ns", flit_bytes=64, model="parameterised")
    assert fitted.keys["channel.flit_bytes"] == 64 and fitted.keys["model.parameterised.t_end"].endswith("ns")
    run = fw.run({**fitted.keys, **scenario})
    assert run.tick == "1ns" and run.rows["measured"][0] > 0 and run.rows["bytes"][0] == 65536
    fitted.save(tmp_path / "machine.toml")
    (tmp_path / "s.toml").write_text(fw.to_toml({"name": "s", "include": "machine.toml", **scenario}))
    assert list(fw.run(tmp_path / "s.toml").rows["measured"]) == list(run.rows["measured"])


def test_what_is_wrong_with_measurements():
    with pytest.raises(fw.MeasurementError) as caught:
        fw.fit(LATENCY + "131072 much\n", tick="1ns")
    assert caught.value.diagnostics[0].line == 7 and "much" in str(caught.value)
    with pytest.raises(fw.ScenarioError, match="accepted: parameterised, logp, loggops"):
        fw.fit(LATENCY, model="logq")
    with pytest.raises(fw.ScenarioError, match="accepted: a number and a unit"):
        fw.fit(LATENCY, tick="soon")


def test_forecast_is_what_the_command_prints(command, tmp_path):
    values = [10, 12.5, 11, 13, 12, 14, 13, 15]
    (tmp_path / "series.txt").write_text("\n".join(map(str, values)))
    told = subprocess.run([command, "forecast", "series.txt"], cwd=tmp_path, capture_output=True, text=True, check=True)
    forecast = fw.forecast(values)
    assert str(forecast).replace("series:", "series.txt:") == told.stdout
    assert forecast.by("mse")[0] == forecast.next == float(forecast)
    assert list(forecast.errors.columns) == ["name", "mae", "mse", "rmse", "chosen_mse", "chosen_mae"]
    (tmp_path / "table.csv").write_text("time,speed\n" + "\n".join(f"{at},{value}" for at, value in enumerate(values)))
    assert fw.forecast(tmp_path / "table.csv", "speed").next == forecast.next
    with pytest.raises(fw.MeasurementError, match="accepted"):
        fw.forecast(tmp_path / "table.csv", "weight")
    with pytest.raises(ValueError, match="accepted: mse, mae"):
        forecast.by("luck")
